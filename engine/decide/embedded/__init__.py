"""A planner without a model: reads everyday goals, grounds their words on roles and names, and says stuck when unsure."""

from engine.decide.embedded.planner import EmbeddedPlanner

__all__ = ["EmbeddedPlanner"]
