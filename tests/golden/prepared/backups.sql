-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- backups.findBranches
select name, commit_id
from branches
where repository_id = ?;

-- backups.findLastEvents
select kind, repository_id, data
from events
order by id desc
limit ?;

-- backups.findPullHeads
select issues.number, pulls.head_id
from pulls
inner join issues on issues.id = pulls.issue_id
where pulls.repository_id = ?;

-- backups.findReferences
select name, object_id
from repository_refs
where stored_repository_id = ?;

-- backups.findStored
select id, head
from stored_repositories
where key = ?;

-- backups.findTags
select name, object_id
from tags
where repository_id = ?;

-- backups.listAdministrators
select id
from users
where is_admin = ?
  and is_active = ?
order by id;

-- backups.listRepositories
select repositories.id, repositories.storage, repositories.object_format, repositories.name, repositories.default_branch, users.name as owner
from repositories
inner join users on users.id = repositories.owner_id;

-- backups.listWikis
select repository_id
from wikis;
