-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- imports.countUnfinished
select count(*) as count
from imports
where doer_id = ?
  and phase in ('queued', 'git', 'records');

-- imports.fail
update imports
set phase = ?, error = ?, sealed_secret = ?, waits_until = ?, updated_at = ?
where id = ?
  and phase in (?, ?, ?);

-- imports.findAhead
select id
from imports
where doer_id = ?
  and id < ?
  and phase in ('queued', 'git', 'records')
  and waits_until = ?
  and error = ?
order by id
limit ?;

-- imports.findOwnPeople
select imported_people.*, (
    select count(*)
    from imported_items
    where imported_items.person_id = imported_people.id
      and imported_items.person_id > 0) + (
    select count(*)
    from imported_reactions
    where imported_reactions.person_id = imported_people.id) as waiting
from emails
inner join imported_people on imported_people.mail = emails.lower_email
where emails.user_id = ?
  and emails.is_activated = ?
  and imported_people.mail <> ''
  and imported_people.user_id in (?, ?)
order by imported_people.host, imported_people.id
limit ?;

-- imports.findOwnerOfMail
select user_id
from emails
where lower_email = ?
  and is_activated = ?
limit ?;

-- imports.findPerson
select *
from imported_people
where id = ?;

-- imports.findProof
select emails.user_id
from imported_people
inner join emails on emails.lower_email = imported_people.mail
where imported_people.id = ?
  and imported_people.mail <> ''
  and emails.user_id = ?
  and emails.is_activated = ?
limit ?;

-- imports.findUnfinishedArchive
select id
from imports
where doer_id = ?
  and phase in ('queued', 'git', 'records')
  and remote_url = ?
limit ?;

-- imports.finish
update imports
set phase = ?, error = ?, sealed_secret = ?, waits_until = ?, since = begun_at, updated_at = ?
where id = ?
  and phase in (?, ?);

-- imports.noteTrouble
update imports
set error = ?
where id = ?
  and phase in (?, ?, ?);

-- imports.putClaim
update imported_people
set user_id = ?
where id = ?
  and user_id = ?;

-- imports.settle
update imports
set phase = ?, repository_id = ?, updated_at = ?
where id = ?
  and phase = ?;

-- imports.settleArchive
update imports
set phase = ?, repository_id = ?, service = ?, updated_at = ?
where id = ?
  and phase = ?;

-- imports.stop
update imports
set phase = ?, error = ?, waits_until = ?, updated_at = ?
where id = ?
  and phase in (?, ?, ?);
