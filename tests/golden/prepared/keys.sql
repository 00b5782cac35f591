-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- keys.findCertificates
select certificate
from gpg_keys
where owner_id = ?
  and primary_id is null
order by id;

-- keys.findDeployKey
select deploy_keys.*, public_keys.content, public_keys.fingerprint
from deploy_keys
inner join public_keys on public_keys.id = deploy_keys.key_id
where deploy_keys.id = ?;

-- keys.findDeployKeyByTitle
select id
from deploy_keys
where repository_id = ?
  and title = ?;

-- keys.findGpgKeyByKeyId
select *
from gpg_keys
where owner_id = ?
  and key_id = ?
order by signs desc, id;

-- keys.findGpgKeyEmails
select gpg_key_emails.gpg_key_id, gpg_key_emails.email, emails.id as address_id
from gpg_key_emails
inner join gpg_keys on gpg_keys.id = gpg_key_emails.gpg_key_id
left join emails on emails.lower_email = gpg_key_emails.lower_email
  and emails.user_id = gpg_keys.owner_id
  and emails.is_activated = ?
where gpg_key_emails.gpg_key_id in ?
order by gpg_key_emails.lower_email;

-- keys.findGpgKeyOf
select *
from gpg_keys
where id = ?
  and owner_id = ?;

-- keys.findGrant
select *
from deploy_keys
where key_id = ?
  and repository_id = ?;

-- keys.findPublicKey
select *
from public_keys
where id = ?;

-- keys.findPublicKeyByFingerprint
select *
from public_keys
where fingerprint = ?;

-- keys.findPublicKeyByTitle
select id
from public_keys
where owner_id = ?
  and title = ?;

-- keys.findPublicKeyLines
select content
from public_keys
where owner_id = ?
order by id;

-- keys.findSignersAmong
select key_id
from gpg_keys
where signs = 1
  and key_id in ?;

-- keys.findSubkeys
select *
from gpg_keys
where primary_id in ?
order by id;

-- keys.touchPublicKey
update public_keys
set last_used_at = ?
where id = ?
  and last_used_at <= ?;
