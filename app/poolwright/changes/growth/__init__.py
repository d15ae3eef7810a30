"""How a pool grows: ways, prices, what each does to the design."""
