"""Running a scene without a server: what a scene is, how it is stepped, and what can be kept of it.

scene, scene_file    a built-in scene or a file, as what a world is made of
simulation           a world and who gives its agents new goals
recording            who was where, for pictures; picture, gif and page draw it
trajectory           id, frame, x, y for analysis, written while the world is stepped
"""
