-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- releases.count
update repositories
set releases_count = (
    select count(*) as total
    from releases
    where releases.repository_id = repositories.id
      and releases.is_draft = 0)
where id = ?;

-- releases.draftOfTags
update releases
set is_draft = ?
where repository_id = ?
  and tag_name in ?
  and is_draft = 0;

-- releases.find
select *
from releases
where id = ?
  and repository_id = ?;

-- releases.findById
select *
from releases
where id = ?;

-- releases.findByIds
select *
from releases
where id in ?;

-- releases.findLatest
select *
from releases
where repository_id = ?
  and is_draft = 0
  and is_prerelease = 0
order by created_at desc, sequence desc, id desc
limit ?;

-- releases.findOfTag
select *
from releases
where repository_id = ?
  and tag_name = ?;

-- releases.findTargets
select target_commitish
from releases
where repository_id = ?;
