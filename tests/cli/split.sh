#!/bin/sh
# nln split, and lines of ratings files that cannot be used: split.sh PROGRAM
. "$(dirname "$0")/common.sh"

run 0 generate ratings --users 60 --items 40 --ratings 1500 --out ratings
run 0 split ratings --split nlr --out parts
says '^train +[0-9]+ +[0-9]+ '
# Unless told otherwise topk measures every user that can be measured, and preference every last rating.
run 0 split ratings --out parts2
says '^test has a like of [0-9]+ of them; for --task topk, --split likes holds out one of every user$'
run 0 train ratings --task topk --epochs 1 --dimension 8 --threads 1 --quiet --json --out all.model
json 'x["reading"]["options"]["split"] == "likes" and x["test"]["full"]["n"] == 60 == x["valid"]["full"]["n"]'
run 0 evaluate all.model ratings --json
[ ! -s err ] || fail "the split of the training is not that of the evaluation"
json 'x["network"]["full"]["n"] == 60'
run 0 train ratings --task topk --split paper --epochs 1 --dimension 8 --threads 1 --quiet --json --out some.model
json 'x["test"]["full"]["n"] < 60'
run 0 train ratings --task preference --epochs 1 --dimension 8 --threads 1 --quiet --json --out last.model
json 'x["reading"]["options"]["split"] == "paper"'
run 0 split ratings --split nlr --out parts2 --json
json 'sum(x[s]["n"] for s in ("train", "valid", "test")) == 1500 == x["reading"]["lines"]' \
    '0 < x["test"]["likes"] <= x["test"]["n"] and x["reading"]["bad"] == 0' \
    'x["reading"]["first"] is None and x["users"] == 60 and x["options"]["split"] == "nlr"'
diff -r parts parts2 >/dev/null || fail "the same split made other files"
[ "$(cat parts/*.tsv | wc -l)" -eq 1503 ] || fail "rows were lost"
gzip -c ratings >ratings.gz
run 0 split ratings.gz --split nlr --out parts3 --quiet
diff -r parts parts3 >/dev/null || fail "compressed ratings are read otherwise"

# ---- lines of no use -------------------------------------------------------------
(cat ratings && printf 'u1\nu1,i1,99,5\nu2,i2,x,5\n') >dirty
run 0 split dirty --rating-range 1:5 --out parts4 --json
json 'x["reading"]["lines"] == 1503 and x["reading"]["bad"] == 2 and x["reading"]["first"]["line"] == 1502' \
    'x["reading"]["out_of_range"] == 1'
[ "$(wc -l <err)" -eq 1 ] && grep -Eq '3 of 1503 lines are left out.*dirty:1502: ' err ||
    fail "what was left out is not told"
run 0 split dirty --out parts4 --quiet
[ ! -s err ] || fail "--quiet is not quiet"

printf 'user,item,rating,text\n"a, b","x\ny",5,\na,x,4,"nice\n\nb,z,1"\nc,"y,2,\n' >spans
run 0 split spans --split none --out parts4
grep -Eq '2 of 3 lines are left out: 2 cannot be read; .*spans:2: .*goes on in the next line' err ||
    fail "a field that spans lines is not told"
[ "$(sed -n '2,$p' parts4/train.tsv)" = "a	x	4" ] || fail "a quoted line is read as a rating"

says 'read as plain \(user, item, rating; no times, so the order of the lines is taken: .*\)'
sed '1s/.*/user,item,rating,date/' ratings >dated
run 0 split dated --split nlr --out parts4
says 'read as plain \(user, item, rating, time\), written to parts4$'
cmp -s parts4/test.tsv parts/test.tsv || fail "the times under another name are not read"
cut -d, -f1,2 ratings >untimed
run 0 split untimed --out parts4 --json
json 'x["reading"]["has_rating"] is False and x["reading"]["has_time"] is False'
run 0 train untimed --task topk --epochs 1 --dimension 8 --threads 1 --out other
grep -q 'untimed: read as plain: user, item; no ratings, so every line is a like; no times' err ||
    fail "missing columns are not told"

(sed '1d; 21q' ratings | cut -d, -f1,2 && sed 1,21d ratings) >late
run 0 split late --out parts4
grep -q '20 of 1500 lines are left out.*late:1: the line has no rating' err ||
    fail "lines without ratings are likes"

printf 'a,x,4,1\na,x,5,2\n' >single
run 0 split single --split none --out parts4
says '^1 user and 1 item, read as '
grep -q '1 of 2 lines is left out' err || fail "one line is told as many"
printf 'a,x,4,1\na,y,5,\n' >single
run 0 split single --split none --out parts4
says '^1 user and 2 items, read as '
grep -q '1 line without a time keeps its place' err || fail "one time is told as many"


# A 1-5 column of any name, other scales, columns that are asked about, times of two units, and cores.
sed '1s/.*/uid,asin,rate,ts/' ratings >named
run 0 split named --split nlr --out parts5
cmp -s parts5/test.tsv parts/test.tsv || fail "a column called rate is not read as ratings"
sed '1s/.*/a,b,c,d/' ratings >strange
run 1 split strange --out parts5
run 0 split strange --columns user=a,item=b,rating=c,time=d --split nlr --out parts5
cmp -s parts5/test.tsv parts/test.tsv || fail "columns by name are not read"
run 0 split strange --columns user=1,item=2,rating=3,time=4 --split nlr --out parts5
cmp -s parts5/test.tsv parts/test.tsv || fail "columns by number are not read"
run 1 split strange --columns user=a,item=sku --out parts5
grep -q "has no column 'sku'" err || fail "a missing column is not named"
run 2 split strange --columns user=a,people=b --out parts5
run 2 split strange --columns user=a,item=a --out parts5
sed '1s/.*/user,item,opinion,when/' ratings >opinions
run 0 train opinions --task topk --epochs 1 --dimension 8 --threads 1 --out other
grep -q "not used: 'opinion', 'when'" err || fail "unused columns are not named"
grep -q 'say --columns rating=opinion' err || fail "a column like ratings is not asked about"
awk -F, -v OFS=, 'NR > 1 { $3 *= 20 } { print }' ratings >hundred
run 0 split hundred --split nlr --out parts5 --json
json 'x["reading"]["like_from"] == 80 or x["reading"]["least"] > 20'
[ "$(wc -l <parts5/test.tsv)" -gt 1 ] || fail "a scale to 100 has no likes"
run 0 train hundred --task topk --epochs 1 --dimension 8 --threads 1 --out other
grep -Eq 'ratings are 20 to 100, and 80 or more is a like \(--like-from' err ||
    fail "the line of likes is not said"
awk -F, -v OFS=, 'NR > 1 { $3 *= 0.2 } { print }' ratings >fifths
run 0 train fifths --task topk --epochs 1 --dimension 8 --threads 1 --out other
grep -q 'ratings are 0.2 to 1, and 0.75 or more is a like' err || fail "the line of a scale to 1 is not said"
printf 'user,item,time\na,x,1000000000\na,y,1000000100\nb,x,1000000000000\n' >mixed
run 0 split mixed --out parts5 --json
json 'x["reading"]["mixed_times"] == 1'
printf 'user,item,rating,date\na,x,5,Monday\na,y,4,Tuesday\n' >weekdays
run 1 split weekdays --out parts5
grep -q "a date as the time" err || fail "dates that cannot be read are taken"
run 0 split weekdays --columns time=none --out parts5
printf 'a,x\na,y\nb,x\nb,y\nc,x\nd,z\n' >thin
run 0 split thin --core 2 --split none --out parts5
[ "$(cut -f1,2 parts5/train.tsv | sed 1d | tr '\t\n' '  ')" = "a x a y b x b y " ] ||
    fail "--core keeps the wrong rows"
run 2 split thin --core 3 --out parts5

# Files of other kinds are named, with the way out; expressions are not ratings.
printf '\375\067zXZ\000' >packed.xz
printf 'BZh91AY' >packed.bz2
printf 'PK\003\004' >packed.zip
printf 'PAR1' >packed.parquet
for kind in xz bz2 zip parquet; do
    run 1 split packed.$kind --out parts6
    grep -Eqi "compressed with (xz|bzip2)|zip archive|Parquet" err || fail "$kind is not named"
done
run 0 generate logic --variables 20 --expressions 50 --out formulas
run 1 split formulas --out parts6
grep -q 'labelled expressions, not ratings' err || fail "expressions are split as ratings"
printf 'rain and not snow\ttrue\nsnow implies ice\tfalse\nice\ttrue\n' >words.tsv
run 1 split words.tsv --out parts6
grep -q 'labelled expressions, not ratings' err || fail "expressions in words are split as ratings"
run 1 train formulas --task topk --out other
grep -q 'labelled expressions, not ratings' err || fail "expressions are learned as ratings"

# What the table of a training does not show is said, and so is another way of splitting.
run 0 train ratings --task topk --split none --epochs 1 --dimension 8 --threads 1 --quiet --out other
says '^valid is not measured: it is empty$'
run 0 generate ratings --users 400 --items 300 --ratings 45000 --out many
run 0 train many --task preference --model popularity --threads 1 --quiet --out other
says '^train is measured on [0-9]+ of its [0-9]+ ratings$'
run 0 generate logic --variables 20 --expressions 50 --out sided
sed -i 's/[TF]$/T/' sided/valid.tsv
run 0 train sided --epochs 1 --dimension 4 --threads 1 --quiet --out other
says '^valid has one class only: every label is the same$'
run 0 train ratings --task topk --split nlr --epochs 1 --dimension 8 --threads 1 --quiet --out other
run 0 evaluate other parts
grep -q 'trained on one file, and parts is a folder' err || fail "another split is not told"
run 0 train parts --task topk --epochs 1 --dimension 8 --threads 1 --quiet --out other
run 0 evaluate other ratings
grep -q 'trained on a folder of three files, and ratings is one file' err ||
    fail "a folder's model on a file is not told"
# Seconds and milliseconds in one column.
for i in $(seq 40); do
    printf 'u%d\ti%d\t5\t17000000%02d%s\n' "$((i % 5))" "$i" "$i" "$([ "$i" -gt 10 ] || echo 000)"
done >mixed.tsv
run 0 split mixed.tsv --split likes --out units
grep -q 'mixed.tsv: 10 times are in another unit' err || fail "mixed units are not told"

echo "$n_checks checks"
