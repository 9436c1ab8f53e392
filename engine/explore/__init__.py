"""The bounded-round core: plans cells, admits each against a budget, keeps the best verified one."""
