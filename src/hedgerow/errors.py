"""Everything that can go wrong, as a few exceptions that say what was wrong, what was seen and what to do."""


class HedgerowError(Exception):
    """Base of every error that this library raises on purpose."""


class ArgumentError(HedgerowError, ValueError):
    """An argument is not what a function takes: text for a number, a negative size, an unknown word."""


class SpaceError(HedgerowError, ValueError):
    """A space is not well defined: an empty domain, a duplicate value, an illegal name."""


class RuleError(HedgerowError, ValueError):
    """A rule cannot be read, or does not fit the space."""


class PointError(HedgerowError, ValueError):
    """A point does not fit the space: a missing, unknown or out-of-domain value."""


class InfeasibleError(HedgerowError):
    """No point satisfies the rules; `rules` names a minimal set that contradicts itself."""

    def __init__(self, message: str, rules: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.rules = rules


class SpaceExhausted(HedgerowError):  # noqa: N818 - a fixed public name
    """Every feasible point has been told; there is nothing left to suggest."""


class EffortExceeded(HedgerowError):  # noqa: N818 - says what happened, not that something is broken
    """An exact answer would cost more memory or work than allowed; the message tells what to change."""


class StudyError(HedgerowError, ValueError):
    """A study, its trials or its storage do not fit the problem."""


class ProblemFileError(HedgerowError, ValueError):
    """A problem file is malformed; the message names the line and the key."""


class RuleWarning(UserWarning):
    """A rule is legal but probably not what was meant."""


class TrialWarning(UserWarning):
    """A trial failed in a way that may be a mistake."""
