-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- eventStream.findInvolved
select id as issue_id, author_id as user_id
from issues
where id in ?
  and author_id in ?
union select issue_id, user_id
from issue_assignees
where issue_id in ?
  and user_id in ?
union select issue_id, user_id
from issue_mentions
where issue_id in ?
  and user_id in ?
union select issue_id, reviewer_id as user_id
from reviews
where issue_id in ?
  and reviewer_id in ?
union select issue_id, author_id as user_id
from comments
where kind in (?, ?, ?)
  and issue_id in ?
  and author_id in ?
union select issue_id, user_id
from issue_watches
where is_watching = ?
  and issue_id in ?
  and user_id in ?;

-- eventStream.findIssues
select id, repository_id, is_pull, number, title, is_closed
from issues
where id in ?;

-- eventStream.findPackages
select id, owner_id, repository_id, is_restricted
from packages
where id in ?;

-- eventStream.findProjects
select id, owner_id, repository_id
from projects
where id in ?;

-- eventStream.findReleases
select id, repository_id, is_draft
from releases
where id in ?;
