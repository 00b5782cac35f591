-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- audit.forget
delete from deeds
where created_at < ?;

-- audit.forgetEntries
delete from audit_entries
where id in (
    select id
    from audit_entries
    where created_at < ?
    order by created_at
    limit ?);

-- audit.insert
insert into deeds(administrator_id, administrator_name, acting_as, operation, path, status, ip, created_at)
values (?, ?, ?, ?, ?, ?, ?, ?)
returning id;

-- audit.setStatus
update deeds
set status = ?
where id = ?;
