"""What marks a field as a fact that rules may ask about: the words for it, and whether it comes later."""


def fact(words: str) -> dict[str, str]:
    """Return the metadata of a fact; ``words`` name it where it is missing."""
    return {"words": words}


def later(words: str) -> dict[str, str]:
    """Return the metadata of a fact that a model or a whole design gives, and nobody before."""
    return {"words": words, "later": "yes"}
