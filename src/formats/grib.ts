/** Why GRIB is not read, and how to convert it. */
export function gribReason(path: string): string {
  return `${path} is GRIB, for which there is no maintained reader here; convert it to NetCDF: cdo -f nc4 copy ${path} OUT.nc, or grib_to_netcdf -D NC_FLOAT -o OUT.nc ${path}`;
}
