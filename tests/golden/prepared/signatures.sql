-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- signatures.findAddressesAmong
select user_id, lower_email
from emails
where is_activated = ?
  and user_id in ?
  and lower_email in ?;

-- signatures.findKeyOwners
select users.*, public_keys.fingerprint
from public_keys
inner join users on users.id = public_keys.owner_id
where public_keys.fingerprint in ?;

-- signatures.findSigners
select users.*, signer.key_id, coalesce(primary_key.certificate, signer.certificate) as certificate
from gpg_keys as signer
inner join users on users.id = signer.owner_id
left join gpg_keys as primary_key on primary_key.id = signer.primary_id
where signer.signs = 1
  and signer.key_id in ?;
