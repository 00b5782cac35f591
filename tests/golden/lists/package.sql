-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- === GET /packages/{owner} ===

-- without filters
select count(*) as total
from packages
inner join package_versions on package_versions.package_id = packages.id
where packages.owner_id = ?
  and 1 = 1;
select package_versions.*
from packages
inner join package_versions on package_versions.package_id = packages.id
where packages.owner_id = ?
  and 1 = 1
order by package_versions.id desc
limit ? offset ?;
-- prepared: packages.findByIds

-- type=alpine
select count(*) as total
from packages
inner join package_versions on package_versions.package_id = packages.id
where packages.owner_id = ?
  and 1 = 1
  and packages.type = ?;
select package_versions.*
from packages
inner join package_versions on package_versions.package_id = packages.id
where packages.owner_id = ?
  and 1 = 1
  and packages.type = ?
order by package_versions.id desc
limit ? offset ?;

-- q=a
select count(*) as total
from packages
inner join package_versions on package_versions.package_id = packages.id
where packages.owner_id = ?
  and 1 = 1
  and instr(packages.lower_name, ?) > 0
-- on PostgreSQL:
select count(*) as total
from packages
inner join package_versions on package_versions.package_id = packages.id
where packages.owner_id = ?
  and 1 = 1
  and strpos(packages.lower_name, ?) > 0;
select package_versions.*
from packages
inner join package_versions on package_versions.package_id = packages.id
where packages.owner_id = ?
  and 1 = 1
  and instr(packages.lower_name, ?) > 0
order by package_versions.id desc
limit ? offset ?
-- on PostgreSQL:
select package_versions.*
from packages
inner join package_versions on package_versions.package_id = packages.id
where packages.owner_id = ?
  and 1 = 1
  and strpos(packages.lower_name, ?) > 0
order by package_versions.id desc
limit ? offset ?;

-- === GET /packages/{owner}/{type}/{name} ===

-- without filters
select packages.*
from packages
where packages.owner_id = ?
  and 1 = 1
  and packages.type = ?
  and packages.lower_name = ?;
select count(*) as total
from packages
inner join package_versions on package_versions.package_id = packages.id
where packages.owner_id = ?
  and 1 = 1
  and packages.id = ?;
select package_versions.*
from packages
inner join package_versions on package_versions.package_id = packages.id
where packages.owner_id = ?
  and 1 = 1
  and packages.id = ?
order by package_versions.id desc
limit ? offset ?;
-- prepared: packages.findByIds
