-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- browse.findBranchAmong
select name
from branches
where repository_id = ?
  and name in ?;

-- browse.findNewestBranches
select name
from branches
where repository_id = ?
order by committed_at desc, name
limit ?;

-- browse.findNewestTags
select name
from tags
where repository_id = ?
order by tagged_at desc, name
limit ?;

-- browse.findTagAmong
select name
from tags
where repository_id = ?
  and name in ?;
