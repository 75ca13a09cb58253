#include "data/generated_rules.h"

#include <stdio.h>

enum { LEAST_TOPICS = 4, MOST_TOPICS = 16, FRANCHISES_OF_TOPIC = 16 };
enum { NOUNS = 8, ADJECTIVES = 64, PLACES = 32 };

static const struct topic_row {
    const char *name, *nouns[NOUNS];
} topics[MOST_TOPICS] = {
    {"sea", {"Harbour", "Lagoon", "Lighthouse", "Tide", "Schooner", "Reef", "Mermaid", "Anchor"}},
    {"space", {"Comet", "Orbit", "Nebula", "Rocket", "Satellite", "Eclipse", "Planet", "Galaxy"}},
    {"crime", {"Detective", "Alibi", "Heist", "Witness", "Verdict", "Motive", "Suspect", "Clue"}},
    {"music", {"Violin", "Chorus", "Melody", "Drummer", "Ballad", "Piano", "Refrain", "Waltz"}},
    {"forest", {"Oak", "Clearing", "Fox", "Woodcutter", "Thicket", "Acorn", "Stag", "Fern"}},
    {"war", {"Regiment", "Trench", "Siege", "Captain", "Bugle", "Truce", "Fortress", "Scout"}},
    {"kitchen", {"Recipe", "Oven", "Banquet", "Baker", "Pepper", "Ladle", "Feast", "Saucepan"}},
    {"magic", {"Wizard", "Wand", "Potion", "Dragon", "Spell", "Grimoire", "Amulet", "Oracle"}},
    {"sport", {"Striker", "Marathon", "Stadium", "Referee", "Trophy", "League", "Goal", "Coach"}},
    {"school",
     {"Classroom", "Teacher", "Diploma", "Chalk", "Exam", "Dormitory", "Prefect", "Pupil"}},
    {"desert", {"Dune", "Oasis", "Caravan", "Mirage", "Camel", "Nomad", "Canyon", "Scorpion"}},
    {"winter", {"Snowfall", "Glacier", "Sleigh", "Icicle", "Blizzard", "Skater", "Frost", "Igloo"}},
    {"railway",
     {"Engine", "Platform", "Signal", "Tunnel", "Conductor", "Express", "Viaduct", "Depot"}},
    {"circus",
     {"Acrobat", "Clown", "Trapeze", "Juggler", "Tent", "Parade", "Ringmaster", "Carousel"}},
    {"garden", {"Rose", "Orchard", "Hedge", "Beekeeper", "Tulip", "Fountain", "Trellis", "Willow"}},
    {"robots",
     {"Android", "Circuit", "Automaton", "Gear", "Robot", "Battery", "Cyborg", "Machine"}},
};

static const char *const adjectives[ADJECTIVES] = {
    "Silent",  "Golden",   "Hidden",  "Broken",   "Crimson",   "Distant",  "Gentle",  "Hollow",
    "Ancient", "Burning",  "Clever",  "Dancing",  "Endless",   "Fearless", "Grey",    "Humble",
    "Ivory",   "Jolly",    "Kindly",  "Last",     "Merry",     "Nameless", "Open",    "Patient",
    "Quiet",   "Restless", "Secret",  "Tender",   "Uncertain", "Velvet",   "Wild",    "Young",
    "Amber",   "Bold",     "Careful", "Daring",   "Early",     "Faithful", "Green",   "Honest",
    "Idle",    "Jade",     "Keen",    "Lonely",   "Midnight",  "Noble",    "Old",     "Purple",
    "Quaint",  "Rusty",    "Scarlet", "Thankful", "Unseen",    "Violet",   "Wounded", "Weary",
    "Azure",   "Bitter",   "Cold",    "Drowsy",   "Emerald",   "First",    "Great",   "Haunted",
};

static const char *const places[PLACES] = {
    "Avalon",   "Bergen",  "Cadiz",   "Dover",    "Ephesus", "Florence", "Granada", "Haarlem",
    "Istanbul", "Jericho", "Kyoto",   "Lisbon",   "Malmo",   "Naples",   "Oslo",    "Prague",
    "Quito",    "Ravenna", "Seville", "Trieste",  "Utrecht", "Vienna",   "Warsaw",  "York",
    "Zanzibar", "Aleppo",  "Bruges",  "Carthage", "Dublin",  "Elba",     "Fez",     "Ghent",
};

#define LITERAL(role, liked)        \
    {                               \
        NLN_FRANCHISE_##role, liked \
    }
#define YES(role) LITERAL(role, 1)
#define NO(role)  LITERAL(role, 0)
const nln_generated_rule nln_generated_rules[NLN_FRANCHISE_RULES] = {
    {YES(A1), YES(A1), YES(A2)},        /* a sequel */
    {YES(A2), YES(A2), YES(A3)},        /* a sequel */
    {YES(B1), YES(B1), YES(B2)},        /* a sequel */
    {YES(B2), YES(B2), YES(B3)},        /* a sequel */
    {YES(A1), YES(B1), YES(CROSSOVER)}, /* a user who likes both likes their crossover */
    {YES(A1), YES(A1), NO(PARODY)},     /* a user who likes a series dislikes its parody, */
    {NO(A1), NO(A1), YES(PARODY)},      /* and one who dislikes it likes the parody */
};

/* Few items have fewer topics, so that active users do not exhaust the one they like. */
nln_generated_items nln_generated_items_create(size_t n_items)
{
    nln_generated_items c = {n_items, (n_items + NLN_FRANCHISE_ITEMS - 1) / NLN_FRANCHISE_ITEMS, 0};
    size_t n = c.n_franchises / FRANCHISES_OF_TOPIC;
    n = n < LEAST_TOPICS ? LEAST_TOPICS : n > MOST_TOPICS ? MOST_TOPICS : n;
    c.n_topics = n < c.n_franchises ? n : c.n_franchises;
    return c;
}

/* The name of series j of a topic.  Counting j up runs through the nouns, then the
 * adjectives, then the places, then the volumes; each noun starts at another adjective, so
 * that the two series of a franchise share neither. */
static void write_series(char *name, size_t room, size_t topic, size_t j)
{
    size_t noun = j % NOUNS, adjective = (j / NOUNS + 9 * noun + 5 * topic) % ADJECTIVES;
    size_t place = j / NOUNS / ADJECTIVES, volume = place / (PLACES + 1);
    place %= PLACES + 1;
    int n = snprintf(name, room, "The %s %s", adjectives[adjective], topics[topic].nouns[noun]);
    if (place)
        n += snprintf(name + n, room - (size_t)n, " of %s", places[place - 1]);
    if (volume)
        snprintf(name + n, room - (size_t)n, ", Book %zu", volume + 1);
}

/* The title of a role: `before`, a series (0 is A, 1 is B), `after`, and B again if `both`. */
static const struct role_row {
    const char *before;
    int series;
    const char *after;
    int both;
} roles[NLN_FRANCHISE_ITEMS] = {
    [NLN_FRANCHISE_A1] = {"", 0, "", 0},
    [NLN_FRANCHISE_A2] = {"", 0, " II", 0},
    [NLN_FRANCHISE_A3] = {"", 0, " III", 0},
    [NLN_FRANCHISE_B1] = {"", 1, "", 0},
    [NLN_FRANCHISE_B2] = {"", 1, " II", 0},
    [NLN_FRANCHISE_B3] = {"", 1, " III", 0},
    [NLN_FRANCHISE_CROSSOVER] = {"", 0, " meets ", 1},
    [NLN_FRANCHISE_PARODY] = {"Not ", 0, "", 0},
};

void nln_generated_items_title(char *title, const nln_generated_items *c, size_t item)
{
    size_t franchise = item / NLN_FRANCHISE_ITEMS, topic = franchise % c->n_topics,
           rank = franchise / c->n_topics;
    const struct role_row *role = &roles[item % NLN_FRANCHISE_ITEMS];
    char series[2][96];
    for (size_t i = 0; i < 2; i++)
        write_series(series[i], sizeof series[i], topic, 2 * rank + i);
    snprintf(title, NLN_TITLE_ROOM, "%s%s%s%s (%s)", role->before, series[role->series],
             role->after, role->both ? series[1] : "", topics[topic].name);
}
