"""JSON that every reader takes: it has no NaN and no infinity, so they become null."""

import json
from typing import Any


def dumps(value: Any, **options: Any) -> str:
    """`json.dumps` of a value whose numbers may be NaN or infinite, such as the loss of an epoch without pairs."""
    try:
        return json.dumps(value, allow_nan=False, **options)
    except ValueError:
        finite = json.loads(json.dumps(value), parse_constant=lambda _name: None)
        return json.dumps(finite, allow_nan=False, **options)
