-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- packs.count
select count(*) as count
from packs;

-- packs.findFiles
select file
from packs
where file in ?;

-- packs.forget
delete from packs
where unused_since > ?
  and unused_since < ?
  and not exists (
    select 1
    from repository_packs
    where repository_packs.pack_id = packs.id);

-- packs.insert
insert into packs(file, size, content, files, created_at, unused_since)
values (?, ?, ?, ?, ?, ?)
returning id;

-- packs.noteUnused
update packs
set unused_since = ?
where unused_since = ?
  and not exists (
    select 1
    from repository_packs
    where repository_packs.pack_id = packs.id);
