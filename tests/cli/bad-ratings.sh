#!/bin/sh
# Bad input of the verbs for ratings, as in bad-input.sh: bad-ratings.sh PROGRAM
. "$(dirname "$0")/common.sh"
prepare
prepare_ratings
run 0 split ratings --out parts

# ---- usage -------------------------------------------------------------------
bad 2 "learned from ratings; ask it with nln recommend" predict topk -
bad 2 '--out is missing' generate ratings --users 5
bad 2 '--out is missing' split ratings
bad 2 '--users' generate ratings --users 0 --out x
bad 2 '--split' split ratings --split fair --out x
bad 2 '--task' train ratings --task ranking --out x
bad 2 '--split is for ratings.*--task' train ratings --task logic --split nlr --out x
bad 2 '--cuts' evaluate topk parts --quiet --cuts 0
bad 2 '--cuts' evaluate topk parts --quiet --cuts 5,,10
bad 2 '--like-from' evaluate topk ratings --like-from many
bad 2 '--rating-range' split ratings --rating-range 5 --out x
bad 2 '--part' evaluate topk parts --part all
bad 2 '--ranking' evaluate topk parts --ranking none
bad 2 '--exact' evaluate topk parts --exact
bad 2 '--sweeps is for models of labelled expressions' evaluate topk parts --sweeps 3
bad 2 '--per-user' evaluate preference ratings --per-user x
bad 2 "every user" recommend topk --all --like "$item"
bad 2 'use one of them' explain topk --histories x --dislike "$item"
bad 2 'give --user too' recommend topk --data ratings
bad 2 '--user is one user' recommend topk --user "$user" --user u2
bad 2 '--user is one user' explain topk --user "$user" --user "$user"
for option in '--split nlr' '--format csv' --strict '--like-from 3'; do
    bad 2 'says how --data is read; give --data too' recommend topk --user "$user" $option
    bad 2 'says how --data is read; give --data too' explain topk --like "$item" $option
done
bad 2 '--split splits one file, and parts is a folder' \
    train parts --task topk --split nlr --out x
bad 2 '--split-seed splits one file, and parts is a folder' evaluate topk parts --split-seed 2
bad 2 '--split splits one file, and parts is a folder' \
    recommend topk --user "$user" --data parts --split nlr
bad 1 '--stop-at does nothing for --task topk' train ratings --task topk --stop-at .9 --out x
bad 2 '--top' recommend topk -k 0
bad 2 '--top needs a value' recommend topk -k
bad 2 'unknown option -x' recommend topk -x
bad 2 'no option --titel; did you mean --titles' recommend topk --titel titles

# ---- files -------------------------------------------------------------------
bad 1 'nowhere' split nowhere --out x
bad 1 'are likes, .*--like-from too low' train ratings --task preference --like-from 0 --out x
bad 1 'are dislikes, .*range from 1 to 5; is --like-from too high' \
    train ratings --task preference --like-from 6 --out x
bad 1 'nowhere' train nowhere --task topk --out x
bad 1 'nowhere' evaluate topk nowhere
bad 1 'nowhere' recommend nowhere
bad 1 'nowhere' recommend topk --titles nowhere
bad 1 'nowhere' recommend topk --histories nowhere
bad 1 'nowhere' recommend topk --user "$user" --data nowhere
bad 1 'nowhere/x' generate ratings --out nowhere/x
bad 1 'ratings' split ratings --out ratings
bad 1 'nowhere/x: cannot write here.*--per-user' evaluate topk parts --quiet --per-user nowhere/x
bad 1 'parts: this is a folder.*--per-user' evaluate topk parts --quiet --per-user parts
bad 1 'model: this model learned from expressions' recommend model
bad 1 'model: this model learned from expressions' explain model
bad 1 'data|expression' evaluate model ratings

# ---- data --------------------------------------------------------------------
: >nothing
bad 1 'nothing' split nothing --out x
(echo 'person,thing' && sed '1d; s/[ui]//g' ratings | cut -d, -f1,2) >headed
bad 1 "headed:1: the header 'person,thing' names no column of the user: call it user, " \
    train headed --task topk --out x
(echo 'sku,user,points' && sed 1d ratings | cut -d, -f1-3) >headed
bad 1 'headed:1: .* names no column of the item: call it item, itemid, ' split headed --out x
printf '{"user_id": "u", "business_id": "b", "stars": 5}\n' >yelp
bad 1 'yelp:1: the JSON object has no member of the item: call it item, ' split yelp --out x
printf '[\n  {\n    "user": "u",\n    "item": "b"\n  }\n]\n' >array
bad 1 'array:1: this is JSON over several lines.*one object on each line' split array --out x
(sed '1d; 81q' ratings | cut -d, -f1,2 && sed 1,81d ratings) >late
bad 1 'late:1: the line has no rating, though most lines have one' split late --strict --out x
(cat ratings && printf 'u1\n') >dirty
bad 1 'dirty:1502:' train dirty --task topk --strict --out x
(cat ratings && sed -n 2p ratings) >double
bad 1 'double:[0-9]+:.*more than once' split double --strict --out x
: >histories
bad 1 'histories: there is no history' recommend topk --histories histories
printf 'ann\t%s\nbob %s\n' "$item" "$item" >histories
bad 1 'histories:2: there is no TAB' recommend topk --histories histories --strict
printf 'ann\t%s\nbob\t%s !nothing-like-it\n' "$item" "$item" >histories
bad 1 "histories:2: .*item 'nothing-like-it'" explain topk --histories histories --strict

# ---- names -------------------------------------------------------------------
bad 1 "user 'nobody'" recommend topk --user nobody
bad 1 "user 'nobody'" recommend topk --user nobody --data ratings
bad 1 "item '${item}x'; did you mean '$item'" recommend topk --like "${item}x"
bad 1 "item 'nothing-like-it'" recommend topk --dislike "$item,nothing-like-it"
bad 1 "item 'nothing-like-it'" explain topk --item nothing-like-it
bad 1 "x'; did you mean 'The " recommend topk --like "${title}x" --titles titles

echo "$n_checks checks"
