"""Plans for pools that exist: grow, improve, migrate, the difference to a design, what an audit finds."""
