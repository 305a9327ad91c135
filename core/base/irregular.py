"""Base forms of common irregular English words. The keyword index contains the base form of each such word, too."""

_FORMS = """
arise arose arisen
awake awoke awoken
beat beaten
become became
begin began begun
bend bent
bleed bled
blow blew blown
break broke broken
breed bred
bring brought
build built
burn burnt
buy bought
catch caught
choose chose chosen
cling clung
come came
creep crept
deal dealt
dig dug
draw drew drawn
dream dreamt
drink drank drunk
drive drove driven
eat ate eaten
fall fallen
feed fed
fight fought
find found
flee fled
fling flung
fly flew flown
forbid forbade forbidden
forget forgot forgotten
forgive forgave forgiven
freeze froze frozen
get got gotten
give gave given
go went gone
grow grew grown
hang hung
hear heard
hide hid hidden
hold held
keep kept
kneel knelt
know knew known
lay laid
learn learnt
lend lent
lose lost
make made
mean meant
meet met
mistake mistook mistaken
overcome overcame
overwrite overwrote overwritten
pay paid
rebuild rebuilt
ride rode ridden
ring rang rung
run ran
say said
see seen
seek sought
sell sold
send sent
sew sewn
shake shook shaken
shine shone
show shown
shrink shrank shrunk
sing sang sung
sink sank sunk
sit sat
sleep slept
slide slid
speak spoke spoken
spend spent
spill spilt
spin spun
spoil spoilt
stand stood
steal stole stolen
stick stuck
sting stung
strike struck stricken
swear swore sworn
sweep swept
swell swollen
swim swam swum
swing swung
take took taken
teach taught
tear tore torn
tell told
think thought
throw threw thrown
undergo underwent undergone
understand understood
undo undid undone
wake woke woken
wear wore worn
weave wove woven
weep wept
win won
withdraw withdrew withdrawn
write wrote written
analysis analyses
calf calves
child children
criterion criteria
foot feet
goose geese
half halves
hypothesis hypotheses
index indices
knife knives
loaf loaves
man men
matrix matrices
mouse mice
phenomenon phenomena
shelf shelves
thief thieves
tooth teeth
vertex vertices
wife wives
wolf wolves
woman women
"""
IRREGULAR = {form: base for base, *forms in map(str.split, _FORMS.strip().splitlines()) for form in forms}
"""The base form of each irregular form. Forms that are more often another word, such as *left*, are left out."""
