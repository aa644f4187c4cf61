"""Real input: grid maps and scenarios of MovingAI, their contours, and GeoJSON."""
