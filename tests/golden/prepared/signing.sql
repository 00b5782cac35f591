-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- signing.findCurrent
select *
from signing_keys
where is_current = ?
  and ((owner_id is null and kind = ?) or owner_id = ?);

-- signing.findKeptOf
select *
from signing_keys
where owner_id = ?
order by is_current desc, id desc;

-- signing.findKeptSigners
select users.*, signing_keys.key_id
from signing_keys
inner join users on users.id = signing_keys.owner_id
where signing_keys.key_id in ?;

-- signing.findOfSite
select *
from signing_keys
where owner_id is null
order by is_current desc, id desc;

-- signing.findOneKeyOf
select gpg_keys.id
from gpg_keys
where gpg_keys.owner_id = ?
union all select public_keys.id
from public_keys
where public_keys.owner_id = ?;

-- signing.findSiteSigners
select key_id, kind, public_key
from signing_keys
where owner_id is null
  and key_id in ?;
