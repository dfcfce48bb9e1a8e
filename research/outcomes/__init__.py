"""What trials really give: several outcomes, limits, noise and failures, measured; `python -m research outcomes`."""
