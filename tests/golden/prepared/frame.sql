-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- frame.findMarks
select stars.repository_id as starred, watches.mode as watched, recipient.id as recipient_id, recipient.kind as recipient_kind
from users
left join stars on stars.user_id = users.id
  and stars.repository_id = ?
left join watches on watches.user_id = users.id
  and watches.repository_id = ?
left join repository_transfers as offer on offer.repository_id = ?
left join users as recipient on recipient.id = offer.recipient_id
where users.id = ?;
