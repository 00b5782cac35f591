-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- passkeys.delete
delete from passkeys
where user_id = ?
  and id = ?;

-- passkeys.find
select users.*, passkeys.id as passkey_id, passkeys.public_key as passkey_public_key, passkeys.counter as passkey_counter
from passkeys
inner join users on users.id = passkeys.user_id
where passkeys.credential_id = ?;

-- passkeys.findOf
select id, name, credential_id, transports, created_at, last_used_at
from passkeys
where user_id = ?
order by id;

-- passkeys.noteUse
update passkeys
set counter = ?, last_used_at = ?
where id = ?
  and (counter < ? or (counter = ? and counter = ?));
