-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- forms.claim
insert into sent_forms(digest, created_at)
values (?, ?) on conflict (digest) do update
set created_at = ?, led_to = ?, flash = ?
where sent_forms.created_at < ?
returning digest;

-- forms.find
select led_to, flash
from sent_forms
where digest = ?;

-- forms.forget
delete from sent_forms
where digest = ?;

-- forms.forgetOld
delete from sent_forms
where created_at < ?;

-- forms.keep
update sent_forms
set led_to = ?, flash = ?
where digest = ?;
