"""The requests of the core as a Python API; HTTP, MCP and the command line only carry them."""

import base64
import inspect
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pydantic import BaseModel, ValidationError

from engine.domain.exploration import MAX_BRANCHES, MAX_CELLS, MAX_PARALLELISM, MAX_REFINEMENTS, MAX_ROUNDS, CellId
from engine.domain.exploring import DiscoveryRequest, FrozenRequest, TaskRequest
from engine.errors import IntegrityChanged, NotFound, RequestRefused
from engine.explore import answers, forms
from engine.explore.catalog import Agent, Caller, Catalog
from engine.explore.desk import Desk
from engine.explore.summary import Summaries
from engine.store.exploration_approvals import ApprovalRecord, Receipt
from engine.store.explorations import RunRecord

LIMITS = {
    "branches": MAX_BRANCHES, "refinements": MAX_REFINEMENTS, "parallelism": MAX_PARALLELISM, "rounds": MAX_ROUNDS,
    "cells": MAX_CELLS,
}  # fmt: skip


class Requests:
    """One method a request; each takes its form and who asks, and raises RequestRefused with one of the typed codes."""

    def __init__(self, desk: Desk, catalog: Catalog) -> None:
        self._desk = desk
        self._catalog = catalog
        self._summaries = Summaries(desk)

    async def call(self, method: str, params: Mapping[str, Any], caller: Caller) -> BaseModel:
        """By name, with raw parameters: invalid_params names the first field that is wrong."""
        entry = METHODS.get(method)
        if entry is None:
            raise RequestRefused("not_found", f"there is no request {method}")
        form, name = entry
        try:
            parsed = form.model_validate(params)
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(str(part) for part in first["loc"])
            raise RequestRefused("invalid_params", f"{field}: {first['msg']}", field) from error
        answer = getattr(self, name)(parsed, caller)
        result: BaseModel = await answer if inspect.isawaitable(answer) else answer
        return result

    def catalog(self, form: forms.CatalogForm, caller: Caller) -> answers.CatalogAnswer:
        """discovery.catalog"""
        agent = self._agent(form.agent_id, caller)
        return answers.CatalogAnswer(
            agent_id=agent.agent_id,
            approved_roots=tuple(sorted(agent.roots & set(self._desk.roots))),
            evaluators=tuple(sorted(agent.evaluators & set(self._desk.registry.names()))),
            runtimes=tuple(sorted(agent.runtimes)),
            strategies=tuple(sorted(self._desk.strategies)),
            can_create=self._catalog.may_create(caller),
            requires_approval=not self._catalog.manages(caller, agent.agent_id),
            limits=LIMITS,
        )

    async def create(self, form: TaskRequest, caller: Caller) -> answers.Created:
        """tasks.create: queued when the caller manages the agent, else pending approval."""
        if not self._catalog.may_create(caller):
            raise RequestRefused("permission_denied", "this caller may not create runs")
        agent = self._agent(form.assigned_to, caller)
        frozen = await self._frozen(form, agent, caller)
        direct = self._catalog.manages(caller, agent.agent_id)
        run_id, approval_id = f"run-{uuid.uuid4().hex[:16]}", None if direct else f"ask-{uuid.uuid4().hex[:16]}"
        with self._desk.database.write():
            self._desk.explorations.create(run_id, frozen, approved=direct)
            budget = form.discovery.budget
            self._desk.ledger.open(run_id, budget.max_agent_calls, budget.max_micros)
            if approval_id is not None:
                self._desk.approvals.request(approval_id, run_id, frozen.sha256, caller.user_id)
        state = self._desk.explorations.get(run_id).state
        return answers.Created(task_id=run_id, run_id=run_id, status=state, approval_id=approval_id)

    def list(self, form: forms.ListForm, caller: Caller) -> answers.RunList:
        """discovery.list"""
        own = None if self._catalog.may_see(caller, "", "") else caller.user_id
        runs = self._desk.explorations.list(agent_id=form.agent_id, requester=own, limit=form.limit)
        seen = [run for run in runs if self._catalog.may_see(caller, run.agent_id, run.requester)]
        return answers.RunList(runs=tuple(self._summaries.of(run) for run in seen))

    def tree(self, form: forms.TreeForm, caller: Caller) -> answers.Tree:
        """discovery.tree: refused above 20,000 cells, with the cost still visible."""
        run = self._run(form.run_id, caller)
        summary = self._summaries.of(run)
        if not summary.tree_available:
            why = f"{run.planned_cells:,} cells are more than the {MAX_CELLS:,} that can be shown"
            return answers.Tree(run=summary, nodes=(), rounds=(), tree_unavailable_reason=why)
        try:
            after = CellId.parse(form.after_cell) if form.after_cell else None
        except ValueError as error:
            raise RequestRefused("invalid_params", str(error), "after_cell") from error
        cells = self._desk.explorations.cells(run.run_id, after, form.limit)
        return answers.Tree.model_construct(  # rows of our own store: not parsed a second time
            run=summary,
            nodes=cells,
            rounds=self._desk.explorations.rounds(run.run_id),
            next_cell=cells[-1].cell_id if len(cells) == form.limit else None,
            tree_unavailable_reason=None,
        )

    def cancel(self, form: forms.RunForm, caller: Caller) -> answers.Standing:
        """discovery.cancel: by who asked for the run, who manages its agent, or an operator."""
        run = self._run(form.run_id, caller)
        self._refuse_stranger(run, caller)
        with self._desk.database.write():
            state = self._desk.explorations.cancel(run.run_id, "cancelled_by_user")
            self._desk.approvals.withdraw(run.run_id)
        return answers.Standing(run_id=run.run_id, status=state)

    def pause(self, form: forms.RunForm, caller: Caller) -> answers.Standing:
        """discovery.pause"""
        return self._steer(form, caller, True)

    def resume(self, form: forms.RunForm, caller: Caller) -> answers.Standing:
        """discovery.resume: a paused run goes on."""
        return self._steer(form, caller, False)

    def artifact(self, form: forms.ArtifactForm, caller: Caller) -> answers.ArtifactAnswer | answers.FileContent:
        """discovery.artifact: only what was delivered, only as it was sealed."""
        run = self._run(form.run_id, caller)
        if run.state != "terminal" or run.winner_cell_id is None:
            raise RequestRefused("not_available", f"run {run.run_id} has delivered nothing")
        with self._delivered(run):
            if form.file_id is None:
                self._desk.artifacts.verified(run.run_id, run.winner_cell_id)
                found = self._desk.artifacts.find(run.run_id, run.winner_cell_id)
                return answers.ArtifactAnswer(
                    run_id=run.run_id, cell_id=run.winner_cell_id, digest=found.digest, expires_at=found.expires_ms,
                    files=found.files,
                )  # fmt: skip
            file, content = self._desk.artifacts.read(run.run_id, run.winner_cell_id, form.file_id)
        return answers.FileContent(file=file, content_base64=base64.b64encode(content).decode())

    def events(self, form: forms.EventsForm, caller: Caller) -> answers.EventPage:
        """discovery.events: reasons that are not for everybody stay with the operator."""
        run = self._run(form.run_id, caller)
        found = self._desk.explorations.events(run.run_id, form.after_seq, form.limit)
        told = found if caller.is_any("operator") else [event for event in found if event.kind not in _PRIVATE]
        return answers.EventPage(
            events=tuple(
                answers.EventAnswer(
                    seq=e.seq, at=e.at_ms, kind=e.kind, subject=e.subject, source=e.source, target=e.target, body=e.body
                )
                for e in told
            ),
            next_seq=found[-1].seq if found else form.after_seq,
        )  # fmt: skip

    def approvals(self, form: forms.ApprovalsForm, caller: Caller) -> answers.ApprovalList:
        """approvals.list: what the caller may see; nothing past its time is pending."""
        self._desk.approvals.expire()
        told = []
        for record in self._desk.approvals.list(state=form.state, limit=form.limit):
            run = self._desk.explorations.get(record.run_id)
            if self._catalog.may_see(caller, run.agent_id, run.requester):
                told.append(_approval(record, run.request.task.title))
        return answers.ApprovalList(approvals=tuple(told))

    def decide(self, form: forms.DecideForm, caller: Caller) -> answers.ReceiptAnswer:
        """approvals.decide: by who manages the agent, and never about one's own request."""
        try:
            record = self._desk.approvals.get(form.id)
        except NotFound as error:
            raise RequestRefused("not_found", str(error)) from error
        run = self._run(record.run_id, caller)
        if not self._catalog.manages(caller, run.agent_id) or record.requested_by == caller.user_id:
            raise RequestRefused("permission_denied", "this caller may not decide about this request")
        receipt = self._desk.approvals.decide(form.id, approve=form.approve, by=caller.user_id, comment=form.comment)
        return _receipt(receipt)

    async def _frozen(self, form: TaskRequest, agent: Agent, caller: Caller) -> FrozenRequest:
        """The request with the hashes that hold now; refuses what the agent may not use and what is too large."""
        asked = form.discovery
        root = self._desk.roots.get(asked.approved_root_id)
        if root is None or asked.approved_root_id not in agent.roots:
            raise RequestRefused("unknown_root", f"no approved root {asked.approved_root_id}", "discovery.approved_root_id")
        if asked.evaluator not in agent.evaluators:
            raise RequestRefused("unknown_evaluator", f"no evaluator {asked.evaluator}", "discovery.evaluator")
        terms = self._desk.registry.verify(asked.evaluator)
        if asked.runtime not in agent.runtimes:
            raise RequestRefused("runtime_unsupported", f"no runtime {asked.runtime}", "discovery.runtime")
        if asked.direction not in (None, terms.direction):
            raise RequestRefused("invalid_params", f"{terms.name} scores to the {terms.direction}", "discovery.direction")
        strategy = self._desk.strategies.get(asked.strategy)
        if strategy is None:
            raise RequestRefused("invalid_params", f"there is no strategy {asked.strategy}", "discovery.strategy")
        planned = strategy.most(asked)
        if planned > MAX_CELLS:
            raise RequestRefused("grid_too_large", f"{planned:,} cells planned, {MAX_CELLS:,} are the most", "discovery")
        return FrozenRequest(
            task=form, requester=caller.user_id, evaluator_hash=terms.hash, root_hash=await root.subject.verify(),
            fork_digest=self._forked(asked, caller), direction=terms.direction, min_delta=terms.min_delta, noise=terms.noise,
        )  # fmt: skip

    def _forked(self, asked: DiscoveryRequest, caller: Caller) -> str:
        """The digest of what a fork begins at: of a run that the caller may see."""
        run = self._run(asked.fork_of, caller, "discovery.fork_of") if asked.fork_of else None
        with self._delivered(run):
            return self._desk.forked(asked)[0]

    def _agent(self, agent_id: str, caller: Caller) -> Agent:
        agent = self._catalog.agent(agent_id)
        if agent is None or not caller.roles:
            raise RequestRefused("not_found", f"no agent {agent_id}", "agent_id")
        return agent

    def _run(self, run_id: str, caller: Caller, field: str = "run_id") -> RunRecord:
        """The run, or not_found: also for those who may not know that it exists."""
        try:
            run = self._desk.explorations.get(run_id)
        except NotFound:
            run = None
        if run is None or not self._catalog.may_see(caller, run.agent_id, run.requester):
            raise RequestRefused("not_found", f"no run {run_id}", field)
        return run

    @contextmanager
    def _delivered(self, run: RunRecord | None) -> Iterator[None]:
        """What is wrong with a delivered artifact, in the words of the requests; a changed one leaves an event."""
        try:
            yield
        except NotFound as error:
            raise RequestRefused("not_available", str(error)) from error
        except IntegrityChanged as error:
            assert run is not None, "only a run has an artifact"
            self._desk.explorations.note(run.run_id, "integrity", {"artifact": run.winner_cell_id, "why": str(error)})
            raise RequestRefused("integrity_changed", str(error)) from error

    def _steer(self, form: forms.RunForm, caller: Caller, pause: bool) -> answers.Standing:
        run = self._run(form.run_id, caller)
        self._refuse_stranger(run, caller)
        return answers.Standing(run_id=run.run_id, status=self._desk.explorations.pause(run.run_id, pause))

    def _refuse_stranger(self, run: RunRecord, caller: Caller) -> None:
        own = run.requester == caller.user_id and self._catalog.may_create(caller)
        if not (own or caller.is_any("operator") or self._catalog.manages(caller, run.agent_id)):
            raise RequestRefused("permission_denied", "this caller may not steer this run")


METHODS: Mapping[str, tuple[type[BaseModel], str]] = {
    "discovery.catalog": (forms.CatalogForm, "catalog"),
    "tasks.create": (forms.CreateForm, "create"),
    "discovery.list": (forms.ListForm, "list"),
    "discovery.tree": (forms.TreeForm, "tree"),
    "discovery.cancel": (forms.RunForm, "cancel"),
    "discovery.artifact": (forms.ArtifactForm, "artifact"),
    "discovery.events": (forms.EventsForm, "events"),
    "discovery.pause": (forms.RunForm, "pause"),
    "discovery.resume": (forms.RunForm, "resume"),
    "approvals.list": (forms.ApprovalsForm, "approvals"),
    "approvals.decide": (forms.DecideForm, "decide"),
}
_PRIVATE = frozenset({"refused", "integrity", "fault"})


def _receipt(receipt: Receipt) -> answers.ReceiptAnswer:
    return answers.ReceiptAnswer(
        approval_id=receipt.approval_id, request_sha256=receipt.request_sha256, approve=receipt.approve,
        decided_by=receipt.decided_by, decided_at=receipt.decided_ms, comment=receipt.comment, hash=receipt.hash,
    )  # fmt: skip


def _approval(record: ApprovalRecord, title: str) -> answers.ApprovalAnswer:
    return answers.ApprovalAnswer(
        approval_id=record.approval_id, run_id=record.run_id, title=title, state=record.state,
        requested_by=record.requested_by, requested_at=record.requested_ms, expires_at=record.expires_ms,
        request_sha256=record.request_sha256, receipt=_receipt(record.receipt) if record.receipt else None,
    )  # fmt: skip
