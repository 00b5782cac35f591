-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- events.append
insert into events(kind, actor_id, repository_id, issue_id, data, created_at)
values (?, ?, ?, ?, ?, ?)
returning transaction_id, id;

-- events.findLog
select *
from event_logs
where id = ?;

-- events.prune
delete from events
where id in (
    select events.id
    from events
    where events.created_at < ?
    order by events.created_at
    limit ?)
returning transaction_id, id;
