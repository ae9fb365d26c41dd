"""Texts like those in vaults, by which a model's activations are measured and its eight-bit form is judged.

Written for this purpose; German and English mostly, a few other languages, prose, lists, code, tables, questions.
"""

from __future__ import annotations


def _split(texts: str) -> tuple[str, ...]:
    return tuple(text.strip() for text in texts.split("\n===\n"))


MEASURED = _split(
    """\
query: Warum haben wir uns für eine eigene Suche entschieden?
===
query: how do I split long notes into chunks
===
query: Wer war im März beim Treffen dabei
===
passage: Projekte › Gartenhaus › Offene Punkte

- [ ] Fundament mit dem Nachbarn abstimmen, bis 12.04.
- [x] Bretter bestellt (32 Stück, Lärche, 19 mm)
- [ ] Angebot vom Dachdecker nachfragen, er wollte bis Freitag antworten
- [ ] Regenrinne ausmessen
===
passage: Tagebuch › 3. November 2024

Heute früh war der See ganz still, nur ein paar Blesshühner. Ich bin eine Stunde gelaufen und habe an das Gespräch
mit Jana gedacht: Vielleicht ist es gar nicht die Arbeit, die mich müde macht, sondern dass ich sie nie zu Ende
denke. Am Abend gekocht, Linsen mit Kreuzkümmel. Gut geschlafen.
===
passage: Concepts › Spaced repetition

Reviewing a fact just before it would be forgotten strengthens memory more than reading it again at once. The
interval grows with each success: one day, three days, a week, a month. Ebbinghaus drew the first forgetting curve
in 1885; software such as Anki schedules cards by a descendant of the SM-2 algorithm.
===
passage: Notes › Python

```python
def group_by(rows, key):
    groups = {}
    for row in rows:
        groups.setdefault(row[key], []).append(row)
    return groups

print(group_by([{"a": 1}, {"a": 2}], "a"))
```

Runs in linear time; a defaultdict would do as well.
===
passage: Ernährung › Übersicht

| Gericht | Eiweiß (g) | Fett (g) | kcal |
|---|---:|---:|---:|
| Linsensuppe | 18 | 6 | 320 |
| Ofengemüse mit Feta | 14 | 22 | 410 |
| Haferbrei | 11 | 9 | 350 |
===
passage: Decisions › Storage engine

We chose an embedded database over a server because the tool must run without an administrator. Rejected: a hosted
service (data leaves the machine), a flat file (no index). Consequence: only one process may write at a time. See
https://example.org/docs/storage?id=42#locks.
===
passage: Lectures › Physique

La chaleur spécifique d'un gaz parfait dépend du nombre de degrés de liberté de ses molécules. Pour un gaz
monoatomique elle vaut 3/2 R par mole, à volume constant.
===
passage: 日本語 › 読書メモ

言葉は考えるための道具であるだけでなく、考えを他人に渡すための器でもある。東京で買った本、三百二十頁。
===
query: Übung gegen Rückenschmerzen
===
query: what did we agree on about the API, and who writes the changelog?
===
passage: Werte › Aufrichtigkeit

Ich will sagen, was ich denke, auch wenn es unbequem ist, und zuhören, wenn andere es tun. Das gelingt mir am
schlechtesten, wenn ich müde bin. #werte #selbst/bild [[Grenzen setzen]]
===
passage: Risks › Backup

If the disk fails, everything since the last weekly copy is lost. Likelihood: low. Impact: high. Mitigation: nightly
snapshots to a second disk, restored once per quarter as a test. Owner: me. depends_on:: [[Home server]]
===
passage: People › Mira

* 1987, Geologin, kennt jeden Stein im Harz. Kennengelernt auf der Tagung in Goslar; seitdem jedes Jahr eine
Wanderung. Sie isst keine Pilze.
===
passage: config.yaml

```yaml
server:
  host: 127.0.0.1
  port: 6333   # REST
limits: {memory: 512MiB, cpu: 0.5}
```

$ curl -s localhost:6333/healthz | jq .status
===
passage: Historia › Lecturas

El comercio de la seda unió durante siglos ciudades que nunca supieron unas de otras más que por los rumores de los
mercaderes.
===
passage: Geschichte › Hanse › Lübeck

Im 14. Jahrhundert war Lübeck mit rund 20 000 Einwohnern nach Köln die größte Stadt im Norden des Reiches. Der Rat
bestand aus Kaufleuten; Handwerker hatten keinen Sitz. 1370 endete der Krieg gegen Waldemar IV. mit dem Frieden von
Stralsund, der den Städten vier Festungen am Sund für fünfzehn Jahre überließ. Danach begann ein langsamer
Niedergang: Die Heringsschwärme zogen fort, die Fürsten wurden stärker, und die Holländer bauten größere Schiffe.
===
passage: Quellen › Arendt

> „Niemand hat das Recht zu gehorchen.“

Oft zitiert, selten im Zusammenhang: Gemeint ist, dass Gehorsam in der Politik immer auch Unterstützung bedeutet.
Vgl. S. 47 ff., Anm. 12; dazu Kant, KpV, AA V, 30.
"""
)
"""What the largest activations are taken from."""

JUDGED = _split(
    """\
query: Was hängt von der Datenbank ab?
===
query: recipe with lentils and cumin
===
passage: Reisen › Norwegen 2023

Von Bergen mit dem Schiff nach Ålesund, vier Tage Regen, dann plötzlich Sonne über dem Fjord. Die Hütte kostete 900
Kronen die Nacht. Nächstes Mal: bessere Schuhe, weniger Bücher.
===
passage: Meetings › Weekly

Present: Ana, Tom, Yusuf. The release moves to the 14th because the migration script still fails on empty tables.
Tom writes the changelog, Ana talks to support. Open question: do we keep the old API for another quarter?
===
passage: Gesundheit › Rücken

Die Übungen vom Physiotherapeuten, dreimal je Woche: Katze-Kuh, Brücke, Unterarmstütz. Nach zwei Wochen deutlich
weniger Schmerzen beim Sitzen.
===
passage: Math › Entropy

$$H(X) = -\\sum_i p_i \\log_2 p_i$$

The entropy of a fair coin is one bit; of a biased one, less. It bounds how far a source can be compressed without
loss.
===
passage: Ideen

Ein Werkzeug, das mir sagt, welche zwei Notizen sich widersprechen. Nicht, um recht zu haben, sondern um zu sehen,
wo ich mich verändert habe.
===
passage: Русский › Заметки

Память хранит не события, а рассказы о них, и каждый пересказ меняет следующий.
"""
)
"""What both forms of the graph are compared on."""
