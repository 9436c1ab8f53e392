"""What the operator approved: agents with their managers, starting points, evaluators and runtimes."""

from engine.access.roles import Role
from engine.domain.exploring import Slug
from engine.domain.frozen import Frozen


class Caller(Frozen):
    """Who is asking."""

    user_id: str
    roles: frozenset[Role]

    def is_any(self, *roles: Role) -> bool:
        """Has one of these roles."""
        return bool(self.roles & set(roles))


class Agent(Frozen):
    """Somebody work can be assigned to, what it may use, and the users who manage it."""

    agent_id: Slug
    managers: frozenset[str] = frozenset()
    roots: frozenset[str] = frozenset()
    evaluators: frozenset[str] = frozenset()
    runtimes: frozenset[str] = frozenset()


class Catalog(Frozen):
    """All agents."""

    agents: tuple[Agent, ...] = ()

    def agent(self, agent_id: str) -> Agent | None:
        """The agent of that id."""
        return next((agent for agent in self.agents if agent.agent_id == agent_id), None)

    def may_see(self, caller: Caller, agent_id: str, requester: str) -> bool:
        """Viewers, managers and operators see all runs; a requester sees the own ones."""
        return caller.is_any("viewer", "operator", "manager") or (caller.is_any("requester") and requester == caller.user_id)

    def may_create(self, caller: Caller) -> bool:
        """May ask for a run."""
        return caller.is_any("requester", "manager", "operator")

    def manages(self, caller: Caller, agent_id: str) -> bool:
        """May create runs of this agent directly and decide about requests for it."""
        agent = self.agent(agent_id)
        return agent is not None and caller.is_any("manager") and caller.user_id in agent.managers
