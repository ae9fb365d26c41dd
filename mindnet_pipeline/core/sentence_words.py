"""The words that tell sentence ends apart: German and English abbreviations, and words that often begin a sentence."""

from __future__ import annotations

_ABBREVIATIONS = """
abb abg abschn abt abzgl allg anh anm approx assoc atty aufl ausg ausschl avg bayer bearb betr bez bf bhf bldg blvd
brig bsp bspw bzgl bzw ca capt cf chap chr christl cmdr corp cpl dept dipl dr dt durchschn ebd ehem ehemal einl
einschl engl entspr est etc etw ev evang evtl exkl expl ext f ff fr franz frdl freundl frz geb gebr gegr ges gesch
gesetzl gest gez ggf ggü gov govt griech habil hbf hd hdn herzl hg hgg hist hl hptm hr hrn hrsg inc incl ing inh inkl
insb insp intl ital jb jd jdm jds jew jg jh jhd jr jährl jüd kap kath kaufm kgl landw lfd lfg ltd ltg maj messrs mfg
mgr mill mio misc mitw mm monatl mr mrd mrs ms msgr mt mtl mult mwst mx mündl nachf natl nr nrn näml nördl oblt orig p
pers pkt poln pp pres priv prof präs pvt qty rd ref reg rer resp rte russ röm schriftl schweiz sec sek sgt sog soz sr
staatl std stellv stv städt supt südl techn teilw tel tgl theol thurs tlw tsd tues tägl türk unbek ungef univ urspr
usf usw verf verh verl versch verst verw vgl viz vll vlt vol vorauss vorl vorm vors vs wdh westl wg wiss wöchentl ziff
zit zs zschr ztr ztschr zus zw zzgl zzt öff österr östl übers
"""
_AS_WRITTEN = """
Abs al Apr Art Aug Ave Bd bes best Col Dec Dez Di Do Ed ed Eds eds Fa Feb Fig fig gem Gen Hon iur Jan Jul Jun jur lat
Lit Lt lt max med Mi Min mind Mo Mrz Mär nat No no Nov Oct od oec Okt par phil Pl pol Pos Red Rep Rev Sa Sen Sep Sept
So Sp St Str str Tab Zi
"""
_STARTERS = """
Aber Alle Alles Also Am An Auch Auf Aus Außerdem Bei Beim Bis Bitte Da Dabei Dadurch Dafür Damals Damit Danach Dann
Daraus Darin Darum Das Dass Davon Dazu Deine Den Denn Der Deshalb Deswegen Die Dies Diese Dieser Dieses Doch Dort Du
Durch Ein Eine Einen Einer Er Erst Es Für Gestern Gibt Hat Heute Hier Ich Ihr Ihre Im Immer In Ist Ja Jede Jeder
Jedoch Jetzt Kann Kein Keine Man Manche Mehr Mein Meine Mit Morgen Muss Nach Nein Nicht Noch Nun Nur Ob Oder Ohne
Schließlich Sehr Sein Seine Seit Seitdem Sie Siehe Sind So Solche Später Trotzdem Über Um Und Uns Unser Unter Viel
Viele Vielleicht Vom Von Vor Wann War Waren Warum Was Weil Welche Wenn Wer Wie Wir Wo Zu Zuerst Zum Zur Zwar A After
All Although And Are As At Because Before But By Can Did Do Does Every From Had Has Have He Her Here His How However I
If Is It Its Maybe Most My No Not Nothing Now On One Only Or Our She Since Some Such That The Their Then There
Therefore These They This Those Thus To Today Under Was We Were What When Where Which While Who Why Will With Yes Yet
You Your
"""

ABBREVIATIONS: frozenset[str] = frozenset(
    [each for word in _ABBREVIATIONS.split() for each in (word, word[0].upper() + word[1:])] + _AS_WRITTEN.split()
)
"""Written with a full stop that ends no sentence; in either case of the first letter, unless the other one is a word.
Single letters need no entry."""

STARTERS: frozenset[str] = frozenset(_STARTERS.split())
"""A full stop after an ordinal or a unit ends the sentence if one of these follows."""
