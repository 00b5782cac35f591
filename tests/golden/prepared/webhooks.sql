-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- webhooks.endWaiting
update webhook_deliveries
set state = ?, error = ?, attempted_at = ?
where webhook_id = ?
  and state = ?;

-- webhooks.findById
select *
from webhooks
where id = ?;

-- webhooks.findDefaults
select *
from webhooks
where repository_id is null
  and owner_id is null
  and is_system = ?
order by id;

-- webhooks.findDelivery
select *
from webhook_deliveries
where id = ?;

-- webhooks.findListeners
select *
from webhooks
where is_active = ?
  and repository_id = ?
union all select *
from webhooks
where is_active = ?
  and owner_id = (
    select repositories.owner_id
    from repositories
    where repositories.id = ?)
union all select *
from webhooks
where is_active = ?
  and repository_id is null
  and owner_id is null
  and is_system = ?;

-- webhooks.findOfRepository
select *
from webhooks
where repository_id = ?
order by id;

-- webhooks.findOwnersListeners
select *
from webhooks
where is_active = ?
  and owner_id = ?
union all select *
from webhooks
where is_active = ?
  and repository_id is null
  and owner_id is null
  and is_system = ?;

-- webhooks.insertDelivery
insert into webhook_deliveries(webhook_id, uuid, event, payload, state, created_at, started_at, next_attempt_at, event_transaction, event_id) select webhooks.id, cast(? as text) as uuid, cast(? as text) as event, cast(? as text) as payload, 'waiting' as state, cast(? as bigint) as created_at, cast(? as bigint) as started_at, cast(? as bigint) as next_attempt_at, cast(? as bigint) as event_transaction, cast(? as bigint) as event_id
from webhooks
where webhooks.id = ?
returning id
-- on PostgreSQL:
insert into webhook_deliveries(webhook_id, uuid, event, payload, state, created_at, started_at, next_attempt_at, event_transaction, event_id) select webhooks.id, cast(? as text) as uuid, cast(? as text) as event, cast(? as text) as payload, 'waiting' as state, cast(? as bigint) as created_at, cast(? as bigint) as started_at, cast(? as bigint) as next_attempt_at, cast(? as bigint) as event_transaction, cast(? as bigint) as event_id
from webhooks
where webhooks.id = ? for key share
returning id;

-- webhooks.postponeDelivery
update webhook_deliveries
set next_attempt_at = ?
where id = ?
  and state = ?;

-- webhooks.recordAttempt
update webhook_deliveries
set state = ?, attempts = attempts + ?, attempted_at = ?, next_attempt_at = ?, request = ?, response = ?, error = ?
where id = ?
  and attempts = ?;

-- webhooks.removeEnded
delete from webhook_deliveries
where id in (
    select id
    from webhook_deliveries
    where state <> 'waiting'
      and attempted_at < ?
    limit ?);

-- webhooks.restartDelivery
update webhook_deliveries
set state = ?, started_at = ?, next_attempt_at = ?
where id = ?
returning *;

-- webhooks.writeHealth
update webhooks
set failures = ?, rests_until = ?
where id = ?;
