"""Published figures of pedestrians, beside which those of the crowds are drawn.

Sources: U. Weidmann, Transporttechnik der Fussgänger, ETH Zürich (1993), the fit of the fundamental diagram; the SFPE
Handbook of Fire Protection Engineering (speed 1.4 (1 - 0.266 density), its largest specific flow 1.3); A. Seyfried et
al., New insights into pedestrian flow through bottlenecks, Transportation Science 43 (2009) 395: the flow through
bottlenecks of 0.8 to 1.2 m grows linearly with the width, by about 1.9 for each metre and second; T. Kretz et al.,
Experimental study of pedestrian flow through a bottleneck, J. Stat. Mech. (2006) P10014: the specific flow is constant
once two pass side by side; W. Liao et al., Transportation Research Procedia 2 (2014) 26: linear up to 5 m.
"""

from __future__ import annotations

import math

__all__ = ["LEAST_SPECIFIC_FLOW", "MOST_SPECIFIC_FLOW", "sfpe_speed", "weidmann_speed"]

# persons for each second and metre of width: what handbooks plan with, what experiments found
LEAST_SPECIFIC_FLOW, MOST_SPECIFIC_FLOW = 1.3, 1.9


def weidmann_speed(density: float) -> float:
    """m/s at so many persons for each square metre."""
    if density >= 5.4:
        return 0.0
    return 1.34 * (1.0 - math.exp(-1.913 * (1.0 / density - 1.0 / 5.4)))


def sfpe_speed(density: float) -> float:
    """m/s at so many persons for each square metre; that of 0.54 below it, where people do not hinder one another."""
    return max(0.0, 1.4 * (1.0 - 0.266 * max(density, 0.54)))
