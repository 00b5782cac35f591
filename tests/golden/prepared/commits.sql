-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- commits.findByAddresses
select users.*, emails.lower_email
from emails
inner join users on users.id = emails.user_id
where emails.lower_email in ?
  and emails.is_activated = ?
union all select users.*, ? as lower_email
from users
where users.id in ?;

-- commits.findMergedPulls
select *
from pulls
where repository_id = ?
  and merge_commit_id = ?
  and is_merged = ?
order by id desc;
