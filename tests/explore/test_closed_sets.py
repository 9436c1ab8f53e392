"""Every member of every closed set names the test that reaches it through the requests; what none reaches is to be removed."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, get_args

import pytest

from engine.domain.exploration import ApprovalState, CancelCode, CellState, RunState, RunStatus, StopCode, StopDetail
from engine.explore.schema import ERRORS
from tests.explore import test_crash, test_requests, test_stops, test_with_a_program
from tests.explore.test_stops import CASES, CELLS

PASSED = test_stops.test_what_a_run_and_its_cells_go_through
REFUSED = test_requests.test_what_is_refused_at_creation
Witness = Callable[..., Any]


def ends(field: str) -> dict[str, Witness]:
    """What the table of whole runs reaches; `test_how_a_run_ends` runs every row."""
    return {value: test_stops.test_how_a_run_ends for case in CASES.values() if (value := getattr(case, field))}


REACHED: Mapping[str, tuple[tuple[str, ...], Mapping[str, Witness]]] = {
    "status": (
        get_args(RunStatus),
        ends("status")
        | {
            "cancelled": test_stops.test_a_cancel_is_written_first_and_prevails,
            "interrupted": test_stops.test_the_operator_stops_the_process,
        },
    ),
    "stop code": (get_args(StopCode), ends("code")),
    "stop detail": (
        get_args(StopDetail),
        ends("detail")
        | {
            "lease_lost": test_crash.test_a_killed_controller_leaves_a_run_that_others_can_end,
            "attempt_uncertain": test_crash.test_a_killed_controller_leaves_a_run_that_others_can_end,
            "operator_stop": test_stops.test_the_operator_stops_the_process,
            "store_unavailable": test_stops.test_a_store_that_fails_for_a_while,
        },
    ),
    "cancel code": (
        get_args(CancelCode),
        {
            "approval_denied": test_requests.test_a_denied_run_never_runs,
            "approval_expired": test_requests.test_a_decision_comes_strictly_before_24_hours,
            "cancelled_by_user": test_stops.test_a_cancel_is_written_first_and_prevails,
        },
    ),
    "run state": (get_args(RunState), dict.fromkeys(get_args(RunState), PASSED)),
    "cell state": (
        get_args(CellState),
        dict.fromkeys(CELLS, test_stops.test_every_end_of_a_cell)
        | dict.fromkeys(("planned", "waiting_slot", "preparing", "running", "sealing", "evaluating"), PASSED)
        | {
            "void": test_stops.test_the_operator_stops_the_process,
            "cancelled": test_stops.test_a_cancel_is_written_first_and_prevails,
        },
    ),
    "approval": (
        get_args(ApprovalState),
        {
            "pending": test_requests.test_a_requesters_run_waits_for_a_manager,
            "approved": test_requests.test_a_requesters_run_waits_for_a_manager,
            "denied": test_requests.test_a_denied_run_never_runs,
            "expired": test_requests.test_a_decision_comes_strictly_before_24_hours,
            "withdrawn": test_requests.test_a_cancel_withdraws_a_pending_request,
        },
    ),
    "refusal": (
        ERRORS,
        dict.fromkeys(("invalid_params", "not_found", "unknown_root", "unknown_evaluator", "runtime_unsupported"), REFUSED)
        | {
            "permission_denied": test_requests.test_who_may_see_what,
            "evaluator_stale": test_with_a_program.test_a_changed_program_is_refused_at_creation,
            "grid_too_large": test_requests.test_twenty_thousand_cells_are_accepted_and_one_more_is_not,
            "already_terminal": test_requests.test_pausing_what_does_not_explore,
            "not_available": test_requests.test_pausing_what_does_not_explore,
            "integrity_changed": test_requests.test_a_changed_artifact_is_refused_and_leaves_an_event,
            "file_too_large": test_requests.test_a_file_above_16_mib_is_refused_by_its_size,
            "expired": test_requests.test_a_decision_comes_strictly_before_24_hours,
            "already_decided": test_requests.test_two_deciders_one_wins_and_the_other_is_told,
            "payload_mismatch": test_requests.test_a_receipt_for_another_request_is_no_authority,
        },
    ),
}
TABLES = {test_stops.test_how_a_run_ends: CASES, test_stops.test_every_end_of_a_cell: CELLS}


@pytest.mark.parametrize("name", REACHED)
def test_every_member_is_reached(name: str) -> None:
    """The witness belongs to the everyday suite, and asserts the member by its name."""
    members, witnesses = REACHED[name]
    assert set(witnesses) == set(members)
    for member, witness in witnesses.items():
        marks = {mark.name for mark in getattr(witness, "pytestmark", ())}
        assert not marks & {"slow", "bench", "skip", "skipif", "xfail"}, witness
        said = repr(TABLES[witness]) if witness in TABLES else inspect.getsource(witness)
        said += repr(test_crash.FATES) if witness.__module__ == test_crash.__name__ else ""
        assert f"'{member}'" in said.replace('"', "'"), f"{witness.__name__} does not say {member}"
