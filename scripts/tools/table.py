"""Tables of figures: on a terminal, as Markdown and as JSON, and which figures miss their goals."""

import sys


def number(value):
    """Three digits that count, and never an exponent."""
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}" if abs(value) >= 0.001 else "0"


def text(cell):
    """A cell as it is read: words as they are, a figure with its unit, a ratio with its sign before it."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return cell
    value, unit = cell
    return f"×{value:.2f}" if unit == "×" else f"{number(value)} {unit}".rstrip()


class Goal:
    """What the last figure of a row may be at most, or has to be at least, in its own unit."""

    def __init__(self, bound, at_least=False):
        self.bound, self.at_least = bound, at_least

    def holds(self, value):
        return value >= self.bound if self.at_least else value <= self.bound

    def text(self, unit):
        sign = "≥" if self.at_least else "≤"
        return f"{sign} ×{self.bound:g}" if unit == "×" else f"{sign} {self.bound:,g} {unit}".rstrip()


def at_most(bound):
    return Goal(bound)


def at_least(bound):
    return Goal(bound, at_least=True)


class Table:
    """Rows under columns. Each row is said on standard error as soon as it is there."""

    def __init__(self, title, *columns):
        self.title, self.columns, self.rows = title, list(columns or ("measured",)), []

    def row(self, what, *cells, goal=None):
        """What was measured, and a cell for each column: words, None, or a figure and its unit. A goal is the last figure's."""
        if len(cells) != len(self.columns):
            raise ValueError(f"{what} has {len(cells)} cells, but there are {len(self.columns)} columns")
        value, unit = [cell for cell in cells if isinstance(cell, tuple)][-1] if goal else (None, "")
        is_missed = goal is not None and not goal.holds(value)
        row = {"what": what, "cells": [text(cell) for cell in cells]}
        row["figures"] = [None if cell is None or isinstance(cell, str) else {"value": cell[0], "unit": cell[1]} for cell in cells]
        if goal:
            row |= {"goal": goal.text(unit), "missed": is_missed}
        self.rows.append(row)
        words = [f"{name} {cell}" if len(cells) > 1 else cell for name, cell in zip(self.columns, row["cells"]) if cell]
        bound = f" ({row['goal']}{', MISSED' if is_missed else ''})" if goal else ""
        print(f"  {what}: {', '.join(words)}{bound}", file=sys.stderr, flush=True)

    def missed(self):
        return [row["what"] for row in self.rows if row.get("missed")]

    def json(self):
        return {"title": self.title, "columns": self.columns, "rows": self.rows}


def markdown(table):
    """A table as `Table.json` has it."""
    rows, has_goals = table["rows"], any("goal" in row for row in table["rows"])
    columns = [table["title"], *table["columns"], *(["goal"] if has_goals else [])]
    lines = [f"| {' | '.join(columns)} |", f"|---|{'--:|' * (len(columns) - 1)}"]
    for row in rows:
        cells = [row["what"], *row["cells"]]
        if has_goals:
            cells.append(row.get("goal", "") + (", missed" if row.get("missed") else ""))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
