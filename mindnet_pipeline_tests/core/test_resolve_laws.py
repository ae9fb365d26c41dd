"""Laws of resolution over random vaults: few names, so that they meet often. One seed makes one vault and its links."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from mindnet_pipeline.core.ids import assign_note_ids
from mindnet_pipeline.core.model import Link, NoteNames, Resolution
from mindnet_pipeline.core.resolve import NoteIndex, changed_keys, comparison_key, link_keys, name_keys

WORDS = ["a", "A", "b", "ß", "Σ", "σς", "ä", "a\u0308", "a.md", "a b", "a\u00a0b", " a"]
FOLDERS = ["", "", "a/", "b/", "B/", "ä/", "a/b/", "b/a/"]
PREFIXES = ["", "", "", "./", "../", "/", "../../", "a/../", "b//", "a/", "b/a/"]
ODD_TARGETS = ["", " ", ".md", "..", ".", "/", "./"]

Vault = dict[str, NoteNames]
seeds = given(st.integers(0, 2**48).map(Random))


def random_name(random: Random) -> str:
    return random.choice(["", "", "", "a/", "b/"]) + random.choice(WORDS)


def random_facts(random: Random) -> tuple[str, str, tuple[str, ...]]:
    """A declared id (often none), a title and aliases."""
    aliases = tuple(random_name(random) for _ in range(random.choice([0, 0, 1, 2])))
    return random.choice(["", "", random_name(random)]), random_name(random), aliases


def random_facts_by_path(random: Random, most: int) -> dict[str, tuple[str, str, tuple[str, ...]]]:
    paths = {
        random.choice(FOLDERS) + random.choice(WORDS) + random.choice([".md", ".md", ".MD"])
        for _ in range(random.randint(0, most))
    }
    return {path: random_facts(random) for path in sorted(paths)}


def vault_of(facts: dict[str, tuple[str, str, tuple[str, ...]]]) -> Vault:
    """By path, with distinct ids as the pipeline assigns them."""
    ids = assign_note_ids({path: declared for path, (declared, _, _) in facts.items()})
    return {path: NoteNames(ids[path], path, title, aliases) for path, (_, title, aliases) in facts.items()}


def random_vault(random: Random, most: int = 6) -> Vault:
    return vault_of(random_facts_by_path(random, most))


def random_change(random: Random) -> tuple[Vault, Vault]:
    """A vault before and after: some notes vanish, appear or get other names, most stay as they are."""
    facts = random_facts_by_path(random, 7)
    kept = {path: each for path, each in facts.items() if random.random() < 0.8}
    return vault_of(facts), vault_of({**kept, **random_facts_by_path(random, 2)})


def random_links(random: Random, count: int = 25) -> list[Link]:
    return [
        Link(
            random.choice(["wikilink", "wikilink", "mdlink", "rel", "frontmatter"]),
            random.choice(PREFIXES) + random_name(random) + random.choice(["", "", ".md"])
            if random.random() < 0.95
            else random.choice(ODD_TARGETS),
            0,
            0,
            display=random.choice(["", "", random_name(random)]),
        )
        for _ in range(count)
    ]


def resolved(vault: Iterable[NoteNames], links: list[Link], source: str) -> list[Resolution]:
    index = NoteIndex(vault)
    return [index.resolve(link, source) for link in links]


@seeds
@settings(max_examples=1500, deadline=None)
def test_a_link_without_a_changed_key_leads_where_it_led(random: Random):
    old, new = random_change(random)
    links, source = random_links(random), random.choice(FOLDERS) + "x.md"
    before, after = resolved(old.values(), links, source), resolved(new.values(), links, source)
    keys = changed_keys(old, new)
    moved = [link for link, one, other in zip(links, before, after, strict=True) if one != other]
    assert [link for link in moved if not link_keys(link) & keys] == []


@seeds
@settings(max_examples=300, deadline=None)
def test_changed_keys_serve_as_well_when_notes_are_keyed_by_id(random: Random):
    old, new = random_change(random)
    links = random_links(random)
    before, after = resolved(old.values(), links, "x.md"), resolved(new.values(), links, "x.md")
    keys = changed_keys(*({names.note_id: names for names in vault.values()} for vault in (old, new)))
    moved = [link for link, one, other in zip(links, before, after, strict=True) if one != other]
    assert [link for link in moved if not link_keys(link) & keys] == []


@seeds
@settings(max_examples=300, deadline=None)
def test_the_order_of_files_does_not_matter(random: Random):
    vault, links = random_vault(random), random_links(random)
    shuffled = random.sample(list(vault.values()), len(vault))
    assert resolved(vault.values(), links, "a/x.md") == resolved(shuffled, links, "a/x.md")


@seeds
@settings(max_examples=300, deadline=None)
def test_a_new_note_never_takes_what_an_exact_path_fixes(random: Random):
    vault, more = random_vault(random), random_vault(random, most=3)
    taken = {comparison_key(path) for path in vault}
    newcomers = [names for path, names in more.items() if comparison_key(path) not in taken]
    links = [Link("wikilink", path, 0, 0) for path in vault]
    before = resolved(vault.values(), links, "b/x.md")
    after = resolved([*vault.values(), *newcomers], links, "b/x.md")
    fixed = [at for at, found in enumerate(before) if found.resolved_by == "path"]
    assert [after[at] for at in fixed] == [before[at] for at in fixed]


@seeds
@settings(max_examples=300, deadline=None)
def test_a_link_leads_to_a_note_that_bears_one_of_its_keys(random: Random):
    vault, links = random_vault(random), random_links(random)
    by_id = {names.note_id: names for names in vault.values()}
    for link, found in zip(links, resolved(vault.values(), links, "a/x.md"), strict=True):
        assert found.target_id is None or name_keys(by_id[found.target_id]) & link_keys(link)


@given(st.text(alphabet="aAß ΣσςäÄ\u0308/\u00a0.İı", max_size=8))
@settings(max_examples=300, deadline=None)
def test_a_comparison_key_is_its_own_key(name: str):
    assert comparison_key(comparison_key(name)) == comparison_key(name)
