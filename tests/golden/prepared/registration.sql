-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- registration.deleteInvitation
delete from invitations
where id = ?
  and expires_at = ?;

-- registration.deleteOldInvitations
delete from invitations
where expires_at <= ?;

-- registration.findInvitation
select *
from invitations
where id = ?;

-- registration.findInvitationOf
select *
from invitations
where lower_email = ?;

-- registration.saveInvitation
insert into invitations(lower_email, invited_by, created_at, sent_at, expires_at)
values (?, ?, ?, ?, ?) on conflict (lower_email) do update
set invited_by = ?, sent_at = ?, expires_at = ?
returning *;
