"""Puts the command groups together under `discover`."""

import typer

from engine.cli import (
    approvals,
    capability,
    demo,
    discover,
    distill,
    doctor,
    evaluator,
    evidence,
    explore,
    faces,
    heal,
    init,
    mcp,
    policy,
    record,
    replay,
    review,
    runs,
    serve,
)

app = typer.Typer(
    name="discover",
    help="Turn work that people do in a web application into capabilities that run without a model.",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.callback(invoke_without_command=True)(discover.discover)
app.command("replay")(replay.replay)
app.command("record")(record.record)
app.command("heal")(heal.heal)
app.command("distill")(distill.distill)
app.command("demo")(demo.demo)
app.command("mcp")(mcp.mcp)
app.command("serve")(serve.serve)
app.command("password")(serve.password)
app.command("doctor")(doctor.doctor)
app.command("init")(init.init)
app.add_typer(runs.app, name="runs")
app.add_typer(explore.app, name="explore")
app.add_typer(evaluator.app, name="evaluator")
app.add_typer(evidence.app, name="evidence")
app.add_typer(faces.added_to(capability.app), name="capability")
app.add_typer(review.app, name="review")
app.add_typer(policy.app, name="policy")
app.add_typer(approvals.app, name="approvals")
