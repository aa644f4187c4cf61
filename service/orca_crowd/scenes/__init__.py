"""Scenes: crowds with somewhere to go, as plain data, and the measure of how they fared, whoever moved them."""
