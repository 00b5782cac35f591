-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- npm.dropTag
delete from package_tags
where package_id = ?
  and name = ?;

-- npm.findCreators
select distinct users.id, users.name
from package_versions
inner join users on users.id = package_versions.creator_id
where package_versions.package_id = ?
order by users.id;

-- npm.findTag
select *
from package_tags
where package_id = ?
  and name = ?;

-- npm.setMetadata
update package_versions
set metadata = ?
where id = ?;

-- npm.setTag
insert into package_tags(package_id, name, version_id)
values (?, ?, ?) on conflict (package_id, name) do update
set version_id = excluded.version_id;

-- npm.sumMetadata
select coalesce(sum(length(metadata)), 0) as total
from package_versions
where package_id = ?;
