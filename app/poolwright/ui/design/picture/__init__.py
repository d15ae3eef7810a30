"""The picture of a pool: what it shows, where it stands, how it is drawn, moved in and edited.

`content` makes values out of a design, `geometry` gives them places, `painter` draws them, `board` is the widget,
`editing` holds what is selected and makes the edits; the tree of the same content uses it as well.
"""
