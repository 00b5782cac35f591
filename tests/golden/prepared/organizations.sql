-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- organizations.findMember
select is_public
from organization_members
where organization_id = ?
  and user_id = ?;
