-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- sessions.delete
delete from sessions
where digest = ?;

-- sessions.deleteById
delete from sessions
where user_id = ?
  and id = ?;

-- sessions.deleteOld
delete from sessions
where id in (
    select old.id
    from sessions as old
    where old.expires_at <= ?
    limit ?);

-- sessions.deleteOthers
delete from sessions
where user_id = ?
  and id != ?;

-- sessions.findSession
select users.*, sessions.id as session_id, sessions.is_remembered as session_is_remembered, sessions.created_at as session_created_at, sessions.confirmed_at as session_confirmed_at, sessions.last_used_at as session_last_used_at, sessions.expires_at as session_expires_at
from sessions
inner join users on users.id = sessions.user_id
where sessions.digest = ?
  and sessions.expires_at > ?;

-- sessions.findSessionsOf
select id, method, network, agent, is_remembered, created_at, last_used_at, expires_at
from sessions
where user_id = ?
  and expires_at > ?
order by last_used_at desc, id desc
limit ?;

-- sessions.rotate
update sessions
set digest = ?, confirmed_at = ?
where id = ?
  and digest = ?
  and exists (
    select users.id
    from users
    where users.id = sessions.user_id
      and users.credentials_version = ?);

-- sessions.save
insert into sessions(user_id, digest, method, network, agent, is_remembered, created_at, confirmed_at, last_used_at, expires_at)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- sessions.touch
update sessions
set last_used_at = ?, expires_at = ?
where id = ?
  and last_used_at <= ?;
