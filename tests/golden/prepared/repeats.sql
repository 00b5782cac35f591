-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- repeats.claim
insert into kept_answers(digest, user_id, request, created_at)
values (?, ?, ?, ?) on conflict (digest) do update
set request = ?, status = ?, answer = ?, bytes = ?, created_at = ?
where kept_answers.created_at <= ?
returning digest;

-- repeats.count
select count(*) as count, sum(bytes) as bytes
from kept_answers
where user_id = ?;

-- repeats.find
select request, status, answer
from kept_answers
where digest = ?
  and created_at > ?;

-- repeats.forgetOld
delete from kept_answers
where digest in (
    select digest
    from kept_answers
    where created_at <= ?
    order by created_at
    limit ?);

-- repeats.keep
update kept_answers
set status = ?, answer = ?, bytes = ?
where digest = ?;

-- repeats.release
delete from kept_answers
where digest = ?
  and status = ?;
