-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- events.append
insert into events(kind, actor_id, repository_id, issue_id, data, created_at)
values (?, ?, ?, ?, ?, ?);

-- events.prune
delete from events
where id in (
    select events.id
    from events
    where events.created_at < ?
    order by events.created_at
    limit ?);
