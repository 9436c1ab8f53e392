"""Capwright: turns work in web applications into capabilities that run without a model."""
