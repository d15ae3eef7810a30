"""The datasets of the design: the tree with what each takes, the properties of one of them, and the sum."""

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from poolwright.capacity.of_design import predict_design
from poolwright.capacity.pool import PoolCapacity
from poolwright.domain import dataset_edits as edits
from poolwright.domain.dataset_properties import dataset_property
from poolwright.domain.dataset_values import entered_value, space_bytes, value_problem
from poolwright.domain.design import Dataset, Design, Setting
from poolwright.domain.encryption import lacks_key
from poolwright.domain.errors import PoolwrightError, UserError
from poolwright.domain.inheritance import Resolver, all_datasets, effective_settings
from poolwright.domain.names import check_dataset_name
from poolwright.emit.names import check_setting
from poolwright.predict.expected import growth_of
from poolwright.predict.space import PoolSpace, predict_space
from poolwright.rules.dataset_proposals import proposals_for
from poolwright.texts import tell
from poolwright.ui.design.datasets.add import AddForm
from poolwright.ui.design.datasets.encryption_key import ask_key
from poolwright.ui.design.datasets.fields import DatasetFields
from poolwright.ui.design.datasets.properties import DatasetProperties
from poolwright.ui.design.datasets.summary import SpaceSummary
from poolwright.ui.design.datasets.tree import DatasetRow, DatasetTree, DatasetView
from poolwright.ui.design.datasets.volume_blocks import VolumeBlocksPane
from poolwright.ui.design.datasets.why_property import show_property
from poolwright.ui.design.datasets.words import bill_words, dataset_notes, full_name
from poolwright.ui.design.pool_choice import PoolChoice
from poolwright.ui.parts import lay
from poolwright.ui.parts.labels import Complaint
from poolwright.ui.parts.panes import Panes, Place
from poolwright.ui.parts.theme import Tone
from poolwright.ui.state.money_of_budget import money_words
from poolwright.ui.state.session import Session

_SIDE_BY_SIDE_FROM = 1100


class DatasetsPane(QWidget):
    """A part of the design page. Every edit is a step that can be undone."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._space: PoolSpace | None = None
        self._capacity: PoolCapacity | None = None
        self._problem = ""
        self._shown: Design | None = None
        self.tree = DatasetTree(self)
        self.tree.renamed.connect(self._on_renamed)
        self.view = DatasetView(self.tree, self)
        self._connect_view()
        self.add_form = AddForm(self)
        self.add_form.wanted.connect(self._on_wanted)
        self.add_form.left.connect(self._focus_tree)
        self.complaint = Complaint(tell("Why the last change was not made"), self, small=True)
        self.facts = DatasetFields(self)
        self.blocks = VolumeBlocksPane(self)
        self.blocks.chosen.connect(self._on_block)
        self.properties = DatasetProperties(self)
        self._connect_parts()
        self.summary = SpaceSummary(self)
        self._arrange()

    def _arrange(self) -> None:
        overview = QWidget(self)
        lay.column(self._make_head(), self.add_form, (self.view, 1), self.facts, self.blocks, of=overview)
        self.panes = Panes(tell("Views of the datasets"), _SIDE_BY_SIDE_FROM, self)
        self.panes.add(tell("What each takes"), overview, Place(column=0, column_stretch=1))
        self.panes.add(tell("Properties"), self.properties, Place(column=1, column_stretch=1))
        lay.column((self.panes, 1), self.complaint, self.summary, of=self)

    def _connect_view(self) -> None:
        self.view.selected.connect(self._on_selected)
        self.view.add_filesystem.connect(self._on_add_filesystem)
        self.view.add_volume.connect(self._on_add_volume)
        self.view.remove.connect(self._on_delete)

    def _make_head(self) -> QHBoxLayout:
        self.pools = PoolChoice(tell("Pool"), self.session, self.refresh, self)
        filesystem = lay.button(tell("Add filesystem"), self, self._on_add_filesystem, icon="add")
        volume = lay.button(tell("Add volume"), self, self._on_add_volume, icon="add")
        self._rename = lay.button(tell("Rename"), self, self.view.edit_name, icon="rename")
        self._delete = lay.button(tell("Delete"), self, self._on_delete, icon="delete")
        return lay.row(self.pools, filesystem, volume, self._rename, self._delete, 1)

    def _connect_parts(self) -> None:
        self.facts.data_entered.connect(self._on_data)
        self.facts.size_entered.connect(self._on_size)
        self.facts.holds_chosen.connect(self._on_holds)
        self.facts.failed.connect(self.complaint.say)
        self.properties.property_asked.connect(self._on_property)
        self.properties.propose_asked.connect(self._on_propose)
        self.properties.why_asked.connect(self._on_why)
        self.properties.chosen.connect(self.select)
        self.properties.failed.connect(self.complaint.say)

    def refresh(self) -> None:
        design = self._shown = self.session.design
        self.setEnabled(design is not None)
        pool = self.pools.show_pools()
        if design is None or pool is None:
            self.tree.show_rows("", ())
            self._show_selected()
            self.summary.show_space(None, None, tell("There is no pool yet."))
            return
        self._space = self._work_out(pool)
        selected = self.selected_name()
        of = {item.dataset.name: item for item in self._space.datasets} if self._space is not None else {}
        resolver = Resolver(pool)
        rows = [DatasetRow(dataset=d, settings=resolver.written(d), space=of.get(d.name)) for d in all_datasets(pool)]
        if self.tree.show_rows(pool.pool_name, rows):
            self.view.expandAll()
        self.properties.show_names([(r.dataset.name, full_name(pool.pool_name, r.dataset.name)) for r in rows])
        self.select(selected if selected is not None else "")
        self.summary.show_space(self._space, growth_of(design, self.session.expectations.assumed), self._problem)
        self._show_selected()

    def selected_name(self) -> str | None:
        """Return the name of the selected dataset, '' for the root; None where nothing is selected."""
        return self.view.name()

    def select(self, name: str) -> None:
        """Select a dataset, the nearest one above it where it is gone."""
        self.view.select(name)

    def _work_out(self, pool: Design) -> PoolSpace | None:
        """Return the space of the pool, or None with the problem noted."""
        self._problem, self._capacity = "", None
        try:
            assessment = self.session.assessment
            known = assessment.capacity if self.pools.number == 0 and assessment is not None else None
            price = self.session.expectations.assumed.price
            if price is not None:  # as the costs have it: what was entered there goes before the budget's
                pool = replace(pool, budget=replace(pool.budget, price_per_disk=price))
            self._capacity = known if known is not None else predict_design(pool)
            return predict_space(pool, self._capacity)
        except PoolwrightError as error:
            self._problem = error.text
            return None

    def _show_selected(self) -> None:
        pool, dataset = self.pools.pool(), self._selected()
        self.facts.setVisible(dataset is not None)
        self.properties.setEnabled(dataset is not None)
        self._rename.setEnabled(bool(dataset and dataset.name))
        self._delete.setEnabled(bool(dataset and dataset.name))
        if pool is None or dataset is None:
            self.blocks.hide()
            return
        space = None if self._space is None else self._space.of(dataset.name)
        notes: tuple[tuple[str, Tone], ...] = ((self._problem, Tone.WARN),) if self._problem else ()
        if space is not None:
            money = "" if space.waste_money is None else money_words(space.waste_money)
            notes = dataset_notes(space, bill_words(space, money))
        self.facts.show_dataset(dataset, notes)
        settings = effective_settings(pool, dataset)
        block = next((space_bytes(e.value) for e in settings if e.name == "volblocksize"), None)
        self.blocks.show_blocks(self._capacity if dataset.volume_bytes is not None else None, block)
        self.properties.show_dataset(
            dataset.name, settings, pool_name=pool.pool_name, version=pool.version, rules=self.session.rules is not None
        )

    def _selected(self) -> Dataset | None:
        pool, name = self.pools.pool(), self.selected_name()
        if pool is None or name is None:
            return None
        return next((d for d in all_datasets(pool) if d.name == name), None)

    def _on_selected(self) -> None:
        self.complaint.say("")
        self._show_selected()

    def _focus_tree(self) -> None:
        self.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_add_filesystem(self) -> None:
        self.add_form.begin(volume=False, name=self._place_for_new())

    def _on_add_volume(self) -> None:
        self.add_form.begin(volume=True, name=self._place_for_new())

    def _place_for_new(self) -> str:
        """Return how the name of a new dataset begins: below the selected one, or beside it where it is a volume."""
        dataset = self._selected()
        if dataset is None or not dataset.name:
            return ""
        above = dataset.name.rpartition("/")[0] if dataset.volume_bytes is not None else dataset.name
        return f"{above}/" if above else ""

    def _on_wanted(self, dataset: Dataset) -> None:
        pool = self.pools.pool()
        if pool is None:
            return
        try:
            check_dataset_name(pool.pool_name, dataset.name)
            datasets = edits.add(pool.datasets, dataset)
            datasets = edits.change(datasets, self._proposed(replace(pool, datasets=datasets), dataset))
        except PoolwrightError as error:
            self.add_form.complain(error.text)
            return
        self.add_form.hide()
        self._put(datasets, tell("Add {name}", name=dataset.name))
        self._say_without_rules()
        self.select(dataset.name)
        self._focus_tree()

    def _on_renamed(self, old: str, new: str) -> None:
        pool = self.pools.pool()
        if pool is None:
            return
        try:
            check_dataset_name(pool.pool_name, new)
            # A parent that nobody wrote down is written down to be moved.
            datasets = pool.datasets
            if edits.find(datasets, old) is None:
                datasets = edits.change(datasets, Dataset(name=old))
            datasets = edits.rename(datasets, old, new)
        except PoolwrightError as error:
            self.complaint.say(error.text)
            return
        self._put(datasets, tell("Rename {name}", name=old))
        self.select(new)

    def _on_delete(self) -> None:
        pool, name = self.pools.pool(), self.selected_name()
        if pool is not None and name:
            self._put(edits.remove(pool.datasets, name), tell("Delete {name}", name=name))

    def _on_data(self, value: object) -> None:
        data = value if isinstance(value, int) else None
        self._change_selected(tell("Data of {name}"), logical_bytes=data)

    def _on_size(self, value: object) -> None:
        if isinstance(value, int):
            self._change_selected(tell("Size of {name}"), volume_bytes=value)

    def _change_selected(self, text: str, **changes: int | None) -> None:
        pool, dataset = self.pools.pool(), self._selected()
        if pool is not None and dataset is not None:
            changed = replace(dataset, **changes)  # type: ignore[arg-type]
            self._put(edits.change(pool.datasets, changed), text.format(name=full_name(pool.pool_name, dataset.name)))

    def _on_holds(self) -> None:
        self._propose(tell("What {name} holds"), workload=True)

    def _on_propose(self) -> None:
        self._propose(tell("Proposals for {name}"), workload=False)

    def _propose(self, text: str, *, workload: bool) -> None:
        pool, dataset = self.pools.pool(), self._selected()
        if pool is None or dataset is None:
            return
        wanted = replace(dataset, workload=self.facts.holds.workload()) if workload else dataset
        try:
            wanted = self._proposed(pool, wanted)
        except PoolwrightError as error:
            self.complaint.say(error.text)
            return
        self._put(edits.change(pool.datasets, wanted), text.format(name=full_name(pool.pool_name, dataset.name)))
        self._say_without_rules()

    def _say_without_rules(self) -> None:
        """Tell that nothing was proposed because there are no rules to do it."""
        if self.session.rules is None:
            why = self.session.rules_problem or tell("the rules are still being loaded")
            self.complaint.say(tell("No properties were proposed: {why}. Press Propose later.", why=why))

    def _proposed(self, pool: Design, dataset: Dataset) -> Dataset:
        """Return the dataset with what the rules propose for it; as it is while there are no rules."""
        book = self.session.rules
        if book is None:
            return dataset
        return edits.propose(dataset, [found.setting for found in proposals_for(book, pool, dataset)])

    def _on_block(self, size: str) -> None:
        self._on_property("volblocksize", size)

    def _on_property(self, name: str, value: str) -> None:
        pool, dataset = self.pools.pool(), self._selected()
        if pool is None or dataset is None:
            return
        where = full_name(pool.pool_name, dataset.name)
        try:
            if value:
                value = entered_value(name, value, pool.version)
                check_setting(name, value, where=where)
                problem = value_problem(name, value, pool.version, volume=dataset.volume_bytes is not None)
                if problem is not None:
                    raise UserError(problem, where=where)
                datasets = edits.set_property(pool.datasets, dataset.name, Setting(name=name, value=value))
                if name == "encryption" and lacks_key(replace(pool, datasets=datasets), dataset.name):
                    ask_key(pool, dataset.name, value, self).chosen.connect(self._on_key)
                    return
                text = tell("Set {property} of {name}")
            else:
                datasets = edits.inherit(pool.datasets, dataset.name, name)
                text = tell("Inherit {property} of {name}")
        except PoolwrightError as error:
            self.complaint.say(error.text)
            return
        self._put(datasets, text.format(property=name, name=where))
        self.properties.typed_taken()
        if value and dataset_property(name, pool.version) is None:
            self.properties.keep_only_set(only=True)  # one's own stand at the very end
        self.properties.select(name)

    def _on_key(self, key: tuple[Setting, ...]) -> None:
        """Encrypt the selected dataset with the key that the dialog asked for, in one step."""
        pool, dataset = self.pools.pool(), self._selected()
        if pool is None or dataset is None:
            return
        where = full_name(pool.pool_name, dataset.name)
        self._put(edits.set_properties(pool.datasets, dataset.name, key), tell("Encrypt {name}", name=where))
        self.properties.typed_taken()
        self.properties.select("encryption")

    def _on_why(self, name: str) -> None:
        pool, dataset = self.pools.pool(), self._selected()
        if pool is None or dataset is None:
            return
        found = next((e for e in effective_settings(pool, dataset) if e.name == name), None)
        if found is not None:
            show_property(found, dataset.name, pool.pool_name, self.session.rules, self)

    def _put(self, datasets: edits.Datasets, text: str) -> None:
        design = self.session.design
        self.complaint.say("")
        if design is not None:
            self.session.change_design(edits.with_datasets(design, self.pools.number, datasets), text)
            if self._shown is not self.session.design:  # the page around has not refreshed it by now
                self.refresh()
