"""The word lists of made-up vaults, German and English side by side. Data only; `words.py` turns it into values.

Every subject is a thing, an aspect and a setting, so all aspects and settings must fit all things.
"""

from __future__ import annotations

# Theme | its folder in German | in English; then things: `article noun / paraphrase | noun / paraphrase`.
# The last two lines of a theme list details in the plural, German and English.
THEMES = """
Haus | Haus | House
die Wärmepumpe / die Heizungsanlage | heat pump / heating system
der Kachelofen / der gemauerte Ofen | tiled stove / brick oven
das Dachfenster / das Fenster in der Schräge | skylight / window in the roof
die Regentonne / der Wasserbehälter am Fallrohr | rain barrel / water butt
der Sicherungskasten / der Stromverteiler | fuse box / electrical panel
die Klingelanlage / die Glocke an der Tür | doorbell / bell at the door
der Dielenboden / der Holzfußboden | parquet floor / wooden flooring
das Treppengeländer / der Handlauf im Flur | banister / handrail in the hall
die Lüftung / die Frischluftanlage | ventilation / fresh air system
der Rauchmelder / der Brandwächter | smoke detector / fire alarm
die Markise / das Sonnensegel | awning / sun sail
das Garagentor / die Einfahrtstür fürs Auto | garage door / gate for the car
Dichtungen, Ventile, Scharniere, Fliesen, Kabel, Dübel, Rohre, Schalter
seals, valves, hinges, tiles, cables, plugs, pipes, switches

Küche | Küche | Kitchen
der Brotbackofen / der Herd fürs Backen | bread oven / stove for baking
die Kaffeemühle / das Mahlwerk | coffee grinder / burr mill
das Gärkörbchen / die Schale für den Teig | proofing basket / bowl for the dough
der Gusseisentopf / der schwere Bräter | cast-iron pot / heavy roasting pan
die Nudelmaschine / die Walze für Pasta | pasta machine / roller for noodles
das Kochmesser / die scharfe Klinge | chef's knife / sharp blade
der Einkochautomat / der Topf zum Einwecken | canning kettle / preserving pot
die Küchenwaage / das Gerät zum Abwiegen | kitchen scale / weighing device
der Mörser / die Schale mit Stößel | mortar / bowl with a pestle
das Gewürzregal / das Bord für Aromen | spice rack / shelf for seasoning
der Joghurtbereiter / das Gerät für Sauermilch | yoghurt maker / device for soured milk
die Saftpresse / die Maschine zum Entsaften | juicer / fruit press
Gläser, Deckel, Siebe, Bleche, Löffel, Rezepte, Kräuter, Körner
jars, lids, sieves, trays, spoons, recipes, herbs, grains

Garten | Garten | Garden
das Hochbeet / der Pflanzkasten | raised bed / planter box
der Komposthaufen / die Rotte für Grünabfall | compost heap / pile of green waste
die Heckenschere / das Werkzeug zum Stutzen | hedge trimmer / pruning tool
der Bienenkasten / die Beute für das Volk | beehive / box for the colony
das Gewächshaus / der verglaste Anbau | greenhouse / glazed shed
die Tröpfchenbewässerung / die Leitung zum Gießen | drip irrigation / watering line
der Apfelbaum / das Obstgehölz | apple tree / fruit tree
der Rasenmäher / die Maschine fürs Gras | lawn mower / machine for the grass
die Trockenmauer / der Steinwall | dry stone wall / rubble wall
der Gartenteich / das Wasserloch | garden pond / pool
das Rankgitter / das Spalier | trellis / climbing frame
der Spaten / das Werkzeug zum Graben | spade / digging tool
Samen, Knospen, Steine, Zweige, Schnecken, Triebe, Eimer, Wurzeln
seeds, buds, stones, twigs, snails, shoots, buckets, roots

Fahrrad | Mobilität | Mobility
das Lastenrad / das Transportfahrrad | cargo bike / transport bicycle
die Nabenschaltung / das Getriebe im Hinterrad | hub gear / gearbox in the rear wheel
der Nabendynamo / der Stromerzeuger im Vorderrad | hub dynamo / generator in the front wheel
die Scheibenbremse / der Verzögerer am Rad | disc brake / stopper on the wheel
das Faltrad / das zusammenklappbare Velo | folding bike / collapsible cycle
der Fahrradanhänger / der Wagen hinter dem Rad | bicycle trailer / cart behind the bike
die Satteltasche / der Beutel am Sitz | saddle bag / pouch at the seat
das Kugellager / der Rollenring | ball bearing / ring of rollers
der Zahnriemen / der Ersatz für die Kette | belt drive / substitute for the chain
das Felgenband / der Streifen im Laufrad | rim tape / strip in the wheel
die Luftpumpe / das Gerät für den Reifendruck | air pump / device for tyre pressure
der Kindersitz / der Platz für die Kleinen | child seat / place for the little ones
Speichen, Schläuche, Ritzel, Schrauben, Züge, Reifen, Griffe, Lampen
spokes, tubes, sprockets, bolts, cables, tyres, grips, lamps

Werkstatt | Werkstatt | Workshop
die Hobelbank / der Arbeitstisch für Holz | workbench / table for woodwork
die Bandsäge / die Maschine mit dem umlaufenden Blatt | band saw / machine with the endless blade
der Lötkolben / das Gerät zum Verzinnen | soldering iron / tinning tool
die Drehbank / die Maschine für runde Teile | lathe / machine for round parts
der Schraubstock / die Klemme am Tisch | bench vice / clamp on the table
der Leimtopf / der Behälter mit Kleber | glue pot / vessel with adhesive
der Staubsauger / die Absaugung | dust extractor / suction unit
die Stanze / das Lochwerkzeug | hole punch / punching tool
der Brennofen / die Anlage für Keramik | kiln / furnace for pottery
das Stemmeisen / der Beitel | chisel / carving blade
die Nähmaschine / die Maschine für Stoff | sewing machine / machine for cloth
der Webstuhl / der Rahmen für Garn | loom / frame for yarn
Bretter, Späne, Klemmen, Feilen, Garne, Nägel, Bohrer, Muster
boards, shavings, clamps, files, threads, nails, drills, patterns

Foto | Bilder | Images
die Dunkelkammer / das Labor mit Rotlicht | darkroom / lab with the red light
die Mittelformatkamera / der Apparat für Rollfilm | medium format camera / roll film apparatus
das Stativ / der Dreibeiner | tripod / three-legged stand
der Belichtungsmesser / das Gerät für die Helligkeit | light meter / brightness gauge
der Diaprojektor / der Bildwerfer | slide projector / picture thrower
das Makroobjektiv / die Linse für Kleines | macro lens / glass for small things
der Negativordner / die Sammlung der Filme | negative binder / collection of films
die Lochkamera / der Kasten ohne Linse | pinhole camera / box without a lens
der Blitz / das künstliche Licht | flash / artificial light
der Filmscanner / das Gerät zum Digitalisieren | film scanner / digitising device
das Fotoalbum / das Buch mit Bildern | photo album / book of pictures
der Papierabzug / das Bild zum Anfassen | paper print / picture to hold
Filter, Rollen, Rahmen, Linsen, Flaschen, Akkus, Blätter, Streifen
filters, rolls, frames, lenses, bottles, batteries, sheets, strips

Musik | Musik | Music
das Cello / das Streichinstrument | cello / bowed instrument
die Querflöte / das Blasinstrument | flute / wind instrument
das Metronom / der Taktgeber | metronome / beat keeper
der Verstärker / das Gerät für mehr Pegel | amplifier / device for more gain
die Notenmappe / die Sammlung der Partituren | sheet music folder / collection of scores
das Tonbandgerät / die Maschine mit Spulen | tape recorder / machine with reels
der Plattenspieler / das Gerät für Vinyl | turntable / device for vinyl
das Mischpult / der Tisch mit Reglern | mixing desk / console with faders
die Orgelpfeife / das klingende Rohr | organ pipe / sounding tube
das Stimmgerät / das Messgerät für Töne | tuner / pitch gauge
der Kopfhörer / die Muscheln fürs Ohr | headphone / ear cups
der Probenraum / das Zimmer der Band | rehearsal room / place of the band
Saiten, Noten, Spulen, Tasten, Regler, Bögen, Stücke, Proben
strings, scores, reels, keys, faders, bows, pieces, rehearsals

Daten | Technik | Technology
der Heimserver / der Rechner im Schrank | home server / computer in the closet
die Zeitreihendatenbank / der Speicher für Messwerte | time series database / store for readings
das Netzlaufwerk / die gemeinsame Platte | network drive / shared disk
der Nachrichtenbroker / die Warteschlange für Ereignisse | message broker / queue of events
die Suchmaschine / das Programm zum Finden | search engine / finding program
das Backup / die Datensicherung | backup / safety copy
der Lastverteiler / der Vermittler vor den Diensten | load balancer / mediator before the services
das Dashboard / die Tafel mit Kennzahlen | dashboard / board of figures
die Wetterstation / der Fühler auf dem Dach | weather station / sensor on the roof
der Cache / der Zwischenspeicher | cache / intermediate memory
die Schnittstelle / der Zugang für Programme | interface / entry for programs
das Datenmodell / der Plan der Tabellen | data model / plan of the tables
Abfragen, Tabellen, Schlüssel, Protokolle, Knoten, Felder, Pakete, Tests
queries, tables, keys, logs, nodes, fields, packages, tests

Lesen | Lesen | Reading
der Zettelkasten / die Sammlung der Karten | card index / collection of slips
das Lesepult / der Ständer für Bücher | lectern / stand for books
die Fernleihe / der Dienst der Bibliotheken | interlibrary loan / service of the libraries
das Wörterbuch / das Nachschlagewerk | dictionary / reference work
der Lesekreis / die Runde der Bücherfreunde | reading circle / group of book lovers
das Exlibris / das Zeichen des Besitzers | bookplate / owner's mark
die Handschrift / der alte Kodex | manuscript / old codex
der Bibliothekskatalog / das Verzeichnis der Bestände | library catalogue / list of holdings
das Lesezeichen / der Streifen im Buch | bookmark / strip in the book
die Buchbinderei / das Handwerk am Einband | bookbindery / craft of the cover
das Hörbuch / der vorgelesene Roman | audiobook / novel read aloud
die Schreibmaschine / das Gerät mit Typenhebeln | typewriter / device with type bars
Seiten, Kapitel, Zitate, Karten, Register, Bände, Regale, Fußnoten
pages, chapters, quotations, cards, indexes, volumes, shelves, footnotes

Sport | Gesundheit | Health
das Rudergerät / die Maschine für den Rücken | rowing machine / machine for the back
die Laufstrecke / die Runde am Fluss | running route / loop by the river
der Pulsgurt / der Messer für das Herz | heart rate strap / gauge for the heart
die Kletterwand / die Halle mit Griffen | climbing wall / hall with holds
das Kajak / das schmale Boot | kayak / narrow boat
die Yogamatte / die Unterlage für Übungen | yoga mat / pad for exercises
der Trainingsplan / das Programm der Wochen | training plan / programme of weeks
das Schlaftagebuch / die Aufzeichnung der Nächte | sleep diary / record of the nights
die Hausapotheke / der Schrank mit Arznei | medicine cabinet / cupboard of remedies
der Schwimmkurs / die Stunde im Becken | swimming course / lesson in the pool
das Blutdruckgerät / die Manschette am Arm | blood pressure monitor / cuff on the arm
der Tischtennistisch / die Platte im Hof | table tennis table / board in the yard
Übungen, Pausen, Bänder, Werte, Runden, Züge, Gewichte, Termine
exercises, breaks, bands, readings, laps, strokes, weights, appointments

Reise | Unterwegs | Travel
das Zelt / die Unterkunft aus Stoff | tent / shelter of cloth
der Rucksack / die Last auf dem Rücken | backpack / load on the back
der Nachtzug / die Fahrt im Schlafwagen | night train / ride in the sleeper
der Gaskocher / die Flamme für unterwegs | gas stove / flame for the trail
die Wanderkarte / das Blatt mit Höhenlinien | hiking map / sheet of contour lines
der Kompass / die Nadel nach Norden | compass / needle to the north
die Fähre / das Schiff zur Insel | ferry / ship to the island
die Berghütte / das Haus über der Baumgrenze | mountain hut / house above the tree line
der Schlafsack / die Hülle für die Nacht | sleeping bag / cover for the night
das Wörterheft / die Liste der fremden Vokabeln | phrase book / list of foreign words
der Wohnwagen / das rollende Zimmer | caravan / rolling room
die Hängematte / das Bett zwischen Bäumen | hammock / bed between trees
Karten, Riemen, Heringe, Fahrpläne, Etappen, Seile, Socken, Stempel
maps, straps, pegs, timetables, stages, ropes, socks, stamps

Verwaltung | Verwaltung | Administration
die Steuererklärung / der Bogen fürs Finanzamt | tax return / form for the revenue office
der Mietvertrag / die Vereinbarung über die Wohnung | lease / agreement about the flat
das Haushaltsbuch / die Liste der Ausgaben | budget book / list of expenses
die Rentenauskunft / der Brief über das Alter | pension statement / letter about old age
der Aktenordner / die Ablage für Papier | file folder / tray for paper
das Passwortbuch / das Verzeichnis der Zugänge | password book / list of logins
die Vereinssatzung / die Regeln der Mitglieder | club statutes / rules of the members
der Förderantrag / das Gesuch um Mittel | grant application / request for funds
die Vollmacht / die Erlaubnis zu handeln | power of attorney / permission to act
das Protokollbuch / die Mitschrift der Sitzungen | minute book / record of the meetings
der Stromvertrag / die Abmachung mit dem Versorger | electricity contract / deal with the supplier
die Nebenkostenabrechnung / die Aufstellung des Vermieters | utility bill / landlord's account
Belege, Fristen, Anlagen, Stempel, Konten, Formulare, Beträge, Kopien
receipts, deadlines, enclosures, stamps, accounts, forms, amounts, copies
"""

# Noun | clause about the thing (`{nom}`: with article) | noun | clause. The clause shares no word with the noun.
ASPECTS = """
Kosten | was {nom} im Jahr an Geld verschlingt | costs | how much money {nom} takes in a year
Wartung | wie man {acc} in Schuss hält | maintenance | how to keep {nom} in good order
Ausfall | was zu tun ist, wenn {nom} plötzlich streikt | failure | what to do when {nom} suddenly gives up
Anschaffung | worauf man achtet, bevor man {acc} kauft | purchase | what to look for before buying {nom}
Haltbarkeit | wie viele Jahre {nom} durchhält | durability | how many years {nom} lasts
Reinigung | womit man {acc} sauber bekommt | cleaning | what gets the dirt off {nom}
Aufbewahrung | wo {nom} zwischen zwei Einsätzen am besten liegt | storage | where to keep {nom} when nobody needs it
Ersatz | was man nimmt, wenn es {acc} nicht mehr gibt | replacement | what to use once {nom} is no longer made
Prüfung | woran man merkt, ob {nom} noch in Ordnung ist | inspection | how to tell whether {nom} is still all right
Vergleich | was sich gegen {acc} durchsetzt | comparison | which kind beats the others when it comes to {nom}
Herkunft | woher {nom} eigentlich kommt | origin | where {nom} comes from in the first place
Sicherheit | welche Gefahr von {dat} ausgeht | safety | what danger {nom} poses
Zeitaufwand | wie viele Stunden {nom} in der Woche frisst | effort | how many hours {nom} eats up in a week
Ausleihe | wem man {acc} borgen darf | lending | to whom one may give {nom} for a while
Entsorgung | wie man {acc} loswird | disposal | how to get rid of {nom}
Anleitung | welche Schritte nötig sind, bis {nom} läuft | instructions | which steps it takes until {nom} works
Verbesserung | was an {dat} noch zu machen wäre | improvement | what could still be made better about {nom}
Geräusche | warum {nom} so laut ist | noise | why {nom} is so loud
Gewicht | ob {nom} zu schwer zum Tragen ist | weight | whether {nom} is too heavy to carry
Platzbedarf | ob {nom} überhaupt hineinpasst | space | whether {nom} fits in at all
Streit | warum wir uns wegen {dat} in die Haare geraten | dispute | why we quarrel about {nom}
Genehmigung | wer zu {dat} erst Ja sagen muss | permission | who has to say yes to {nom} first
Geschichte | was mit {dat} früher einmal war | history | what happened with {nom} in earlier times
Beschriftung | was auf {dat} stehen soll | labels | what should be written on {nom}
"""

SETTINGS = """
im Altbau | in the old house
auf Reisen | on the road
im Winter | in winter
im Sommer | in summer
für den Verein | for the club
mit Kindern | with children
in der Stadt | in the city
auf dem Land | in the country
bei Regen | in the rain
in der Schule | at school
im Büro | at the office
für Anfänger | for beginners
bei der Großmutter | at grandmother's
nach dem Umzug | after the move
in der Nachbarschaft | in the neighbourhood
ohne Strom | without electricity
am Wochenende | at the weekend
im Keller | in the basement
für die Gäste | for the guests
im Ehrenamt | as a volunteer
mit wenig Geld | on a tight budget
im Ausland | abroad
vor der Prüfung | before the exam
in der Mietwohnung | in the rented flat
"""

FIRST_NAMES = (
    "Anneke Bertram Cosima Dorian Elif Falk Greta Henning Imke Jakub Katja Leander Merle Nuri Ottilie Piet Ronja Samir "
    "Thea Ulf Vera Wieland Xenia Yara Zoran Agnes Bruno Clara Dilan Emil Freya Gustav Hedda Ivo Jule Karim"
)
LAST_NAMES = (
    "Abel Brück Claasen Dreyer Ebeling Fink Grothe Hinrichs Isermann Jansen Köster Lindner Mahlke Noack Ohlsen Petri "
    "Quast Ritter Stadler Tamm Uhlig Voss Wendt Yilmaz Zabel Arndt Böhme Czerny Dorn Engel"
)
PLACES = (
    "Leipzig Görlitz Husum Marburg Passau Emden Weimar Tübingen Stralsund Konstanz Celle Bamberg Wismar Goslar Trier "
    "Plauen Lindau Rinteln Utrecht Graz Bern Aarhus Ghent Brno York Bergen Cork Turku Gdańsk Ljubljana"
)
MONTHS_DE = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember"
MONTHS_EN = "January February March April May June July August September October November December"
