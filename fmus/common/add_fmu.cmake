# add_fmu(<name> MODEL <library> FMI 2 3 [ME] [TRIGGERED] [MACHINE <machine>] [MAPPING <mapping>] [RESOURCES <file>...])
#
# Builds fmus/<room>/<name>/<name>_fmu.cpp into <build>/fmus/<name>.fmu (FMI 3) and <build>/fmus/<name>_fmi2.fmu (FMI 2).
# ME offers model exchange beside co-simulation. MACHINE puts config/machines/<machine>.urdf into the resources as
# machine.urdf, MAPPING config/can/<mapping>.xml as mapping.xml and the DBC file that it names, from which the unit
# declares its variables (Instance::declare). TRIGGERED makes also <name>_triggered.fmu, the same FMI-LS-BUS unit with
# triggered output clocks. All units are built by the target `fmus`.
add_custom_target(fmus ALL)

function(add_fmu name)
  cmake_parse_arguments(FMU "ME;TRIGGERED" "MODEL;MACHINE;MAPPING" "FMI;RESOURCES" ${ARGN})
  if(NOT FMU_MODEL OR NOT FMU_FMI)
    message(FATAL_ERROR "add_fmu(${name}): MODEL and FMI are required")
  endif()
  set(common ${PROJECT_SOURCE_DIR}/fmus/common)
  set(model_exchange 0)
  if(FMU_ME)
    set(model_exchange 1)
  endif()

  file(GLOB source CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fmus/*/${name}/${name}_fmu.cpp)
  if(NOT source)
    message(FATAL_ERROR "add_fmu(${name}): there is no fmus/<room>/${name}/${name}_fmu.cpp")
  endif()
  add_library(fmu_${name} OBJECT ${source} ${common}/declaring/facts.cpp)
  target_link_libraries(fmu_${name} PUBLIC fmu_kit ${FMU_MODEL})
  target_compile_options(fmu_${name} PRIVATE -ffunction-sections -fdata-sections)
  target_compile_definitions(fmu_${name} PRIVATE FMU_IDENTIFIER="${name}" FMU_VERSION="${PROJECT_VERSION}"
                                                 FMU_MODEL_EXCHANGE=${model_exchange})
  if(FMU_MACHINE)
    target_link_libraries(fmu_${name} PUBLIC fmu_machine)
    set(machine ${CMAKE_CURRENT_BINARY_DIR}/units/${name}/machine.urdf)
    configure_file(${PROJECT_SOURCE_DIR}/config/machines/${FMU_MACHINE}.urdf ${machine} COPYONLY)
    list(APPEND FMU_RESOURCES ${machine})
  endif()
  if(FMU_MAPPING)
    set(given ${PROJECT_SOURCE_DIR}/config/can/${FMU_MAPPING}.xml)
    set(mapping ${CMAKE_CURRENT_BINARY_DIR}/units/${name}/mapping.xml)
    configure_file(${given} ${mapping} COPYONLY)
    file(READ ${given} text)
    string(REGEX MATCHALL "(database|sheet)=\"[^\"]+\"" named "${text}")
    list(TRANSFORM named REPLACE ".*=\"(.+)\"" "${PROJECT_SOURCE_DIR}/config/can/\\1")
    list(REMOVE_DUPLICATES named)
    list(APPEND FMU_RESOURCES ${mapping} ${named})
  endif()
  set_target_properties(fmu_${name} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)

  add_executable(fmu_${name}_generator)
  target_link_libraries(fmu_${name}_generator PRIVATE fmu_generator fmu_${name})
  set_target_properties(fmu_${name}_generator PROPERTIES LINKER_LANGUAGE CXX
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/units/${name})

  foreach(version ${FMU_FMI})
    tandem_fmu_library(${name} ${version})
    tandem_fmu_archive(${name} ${version} "" "${FMU_RESOURCES}")
  endforeach()
  if(FMU_TRIGGERED)
    tandem_fmu_archive(${name} 3 _triggered "${FMU_RESOURCES};${PROJECT_SOURCE_DIR}/fmus/can/common/triggered_clocks.txt")
  endif()
endfunction()

# The library of a unit for one version of FMI.
function(tandem_fmu_library name version)
  set(library fmu_${name}_fmi${version})
  add_library(${library} MODULE)
  target_link_libraries(${library} PRIVATE fmu_${name} fmu_fmi${version})
  set_target_properties(${library} PROPERTIES PREFIX "" OUTPUT_NAME ${name}
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/units/${name}/fmi${version}/library
    LINKER_LANGUAGE CXX LINK_DEPENDS ${PROJECT_SOURCE_DIR}/fmus/common/exports.map)
  target_link_options(${library} PRIVATE -Wl,--gc-sections
    -Wl,--version-script=${PROJECT_SOURCE_DIR}/fmus/common/exports.map)
  # A unit must load into any program, whatever C++ library that has; a sanitised one shares its program's run-time.
  if(NOT TANDEM_SANITIZE)
    target_link_options(${library} PRIVATE -static-libstdc++ -static-libgcc -Wl,-z,defs $<$<CONFIG:Release>:-s>)
  endif()
endfunction()

# One archive: library, generated files and resources staged in a folder, then zipped. `variant` is the end of its name.
function(tandem_fmu_archive name version variant resources)
  set(suffix ${variant})
  set(platform x86_64-linux)
  if(version EQUAL 2)
    set(suffix _fmi2)
    set(platform linux64)
  endif()
  set(library fmu_${name}_fmi${version})
  set(work ${CMAKE_CURRENT_BINARY_DIR}/units/${name}/fmi${version}${variant})
  set(archive ${CMAKE_CURRENT_BINARY_DIR}/${name}${suffix}.fmu)

  set(copy_resources ${CMAKE_COMMAND} -E make_directory staged/resources)
  if(resources)
    set(copy_resources ${CMAKE_COMMAND} -E copy ${resources} staged/resources/)
  endif()
  file(MAKE_DIRECTORY ${work})
  add_custom_command(OUTPUT ${archive}
    COMMAND ${CMAKE_COMMAND} -E rm -rf staged
    COMMAND ${CMAKE_COMMAND} -E make_directory staged/binaries/${platform} staged/resources
    COMMAND ${copy_resources}
    COMMAND fmu_${name}_generator ${version} staged
    COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_FILE:${library}> staged/binaries/${platform}/
    COMMAND ${CMAKE_COMMAND} -DARCHIVE=${archive} -P ${PROJECT_SOURCE_DIR}/fmus/common/pack.cmake
    DEPENDS ${library} fmu_${name}_generator ${resources} ${PROJECT_SOURCE_DIR}/fmus/common/pack.cmake
    WORKING_DIRECTORY ${work}
    COMMENT "Packing ${name}${suffix}.fmu" VERBATIM)
  add_custom_target(${library}${variant}_archive DEPENDS ${archive})
  add_dependencies(fmus ${library}${variant}_archive)
endfunction()
