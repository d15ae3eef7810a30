"""What is predicted of a design: speed, rebuild, risk, cost, growth."""
