"""Wiring: the only room that knows which concrete adapter is used; replaying never loads what discovering needs."""
