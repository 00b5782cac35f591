-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- formerHashes.find
select *
from former_hashes
where kind = ?
  and subject_id = ?;

-- formerHashes.findTokens
select *
from former_hashes
where kind = ?
  and lookup = ?
limit ?;

-- formerHashes.remove
delete from former_hashes
where kind = ?
  and subject_id = ?;
