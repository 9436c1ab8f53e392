"""Tests: a mirror of engine/, plus promises, journeys, contracts and benchmarks."""
