"""A comparison as JSON values."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from w2v.eval.tools.significance import Comparison
from w2v.eval.tools.summary import Point, Quality, Speed, Summary, Values


def to_json(summary: Summary) -> dict[str, Any]:
    """All tables, with the value of each run."""
    columns = [column.title for column in summary.plan.columns]
    return {
        "corpus": asdict(summary.plan.corpus),
        "machine": summary.machine,
        "versions": summary.versions,
        "seeds": list(summary.plan.seeds),
        "settings": {column.title: column.settings for column in summary.plan.columns},
        "speed": {speed.column.title: _speed_json(speed) for speed in summary.speed},
        "quality": [_quality_json(row, columns) for row in summary.quality],
        "curve": [_point_json(point) for point in summary.curve],
        "head_starts": [
            {
                "opponent": one.theirs.column.title,
                "opponent_epochs": one.theirs.epochs,
                "w2v_epochs": one.ours.epochs,
                "sets": {name: _comparison_json(comparison) for name, comparison in one.comparisons.items()},
            }
            for one in summary.head_starts
        ],
    }


def _speed_json(speed: Speed) -> dict[str, Any]:
    return {
        "wall": _values_json(speed.wall),
        "seconds": {stage: _values_json(values) for stage, values in speed.stages.items()},
        "words_per_second": _values_json(speed.words_per_second),
        "peak_memory_mib": _values_json(speed.peak_memory_mib),
    }


def _quality_json(row: Quality, columns: Sequence[str]) -> dict[str, Any]:
    return {
        "name": row.name,
        "measure": row.measure,
        "total": row.total,
        "tools": {
            title: {"seen": seen, **(_values_json(values) or {"mean": None})}
            for title, seen, values in zip(columns, row.seen, row.scores, strict=True)
        },
        "w2v_less": {title: _comparison_json(comparison) for title, comparison in row.comparisons.items()},
    }


def _point_json(point: Point) -> dict[str, Any]:
    scores = {name: _values_json(values) for name, values in point.scores.items()}
    return {"tool": point.column.title, "epochs": point.epochs, "wall": _values_json(point.wall), "scores": scores}


def _comparison_json(comparison: Comparison | None) -> dict[str, Any] | None:
    return asdict(comparison) if comparison else None


def _values_json(values: Values | None) -> dict[str, Any] | None:
    if values is None:
        return None
    return {"mean": values.mean, "median": values.median, "spread": values.spread, "values": list(values.values)}
